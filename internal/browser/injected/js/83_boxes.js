// Boxes of one character, as pages have them for codes. A page passes the focus from each
// box to the next as it is typed into, so a text that is typed into one goes on in the
// boxes that follow it. Each must be judged as the first is: next to it in the same form
// and group, of the same kind, drawn, named by no other words, and a secret only if the
// first is one.
const BOX_LEVELS = 4; // ancestors that are looked at for the other boxes
const isBox = element => element instanceof HTMLInputElement && attribute(element, 'maxlength') === '1' && isEditable(element);
const inBoxes = element => isBox(element) && boxGroup(element) !== null;
const boxGroup = box => {
  let at = parentNode(box);
  for (let level = 0; isElement(at) && level < BOX_LEVELS; level++, at = parentNode(at)) if ([...allInElement(at, 'input')].filter(isBox).length > 1) return at;
  return null;
};
const isNextBox = (first, last, next) => {
  if (next === null || !isBox(first) || !isLikeBox(first, next)) return false;
  const group = boxGroup(first);
  if (group === null) return false;
  const fields = [...allInElement(group, 'input, textarea, select, button')].filter(field => !(field instanceof HTMLInputElement) || inputType(field) !== 'hidden');
  return fields.indexOf(last) !== -1 && fields[fields.indexOf(last) + 1] === next;
};
const isLikeBox = (first, next) => {
  if (!isBox(next) || inputType(next) !== inputType(first)) return false;
  if (formOf(next) !== formOf(first) || closest(next, 'fieldset') !== closest(first, 'fieldset') || !pointable(next)) return false;
  return (isProtected(first) || !isProtected(next)) && boxWords(next).every(word => boxWords(first).includes(word));
};
// What a box is called, without what tells it apart from the others: numbers and letters.
const boxWords = box => [nameOf(box), ...['name', 'placeholder', 'autocomplete'].map(key => attribute(box, key) ?? '')]
  .flatMap(text => worded(text).toLowerCase().match(/\p{L}{2,}/gu) ?? []).filter(word => !ordinals.has(word));
const ordinals = new Set(['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'of', 'off', 'on', 'nd', 'rd', 'st', 'th']);

// The element that gets the keys of an act: the one that was judged, or the box after the
// last one that got some.
const receiving = (act, element) => {
  if (act.kind !== 'type' || element === null || hasFocusOf(element)) return element;
  const active = activeElement(), last = act.boxes.at(-1) ?? element;
  if (act.boxes.includes(active)) return isLikeBox(element, active) ? active : element;
  if (!isNextBox(element, last, active)) return element;
  act.boxes.push(active);
  noteValue(active);
  if (act.all) selectInput(active);
  return active;
};
// Waits until the page passed the focus on from a box that was typed into. Boxes that do
// not do that get the text, if there is one, as a paste, which the page distributes: it is
// none of theirs if they do not show it then.
const BOX_TIME = 300; // milliseconds: some pages do it after they have drawn the character
const fromBox = async (node, text) => {
  const last = actNow()?.boxes.at(-1) ?? elementOf(node);
  await until(() => activeElement() !== last, BOX_TIME);
  renew();
  const passed = activeElement() !== last;
  return {ok: !passed && text !== '' && pasteOver(elementOf(node), text), passed};
};
const pasteOver = (element, text) => {
  if (element === null || !inBoxes(element) || !hasFocusOf(element) || isProtected(element)) return false;
  const clipboardData = new DataTransfer(), group = boxGroup(element);
  clipboardData.setData('text/plain', text);
  if (dispatch(element, new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true, composed: true}))) return false;
  renew();
  return [...allInElement(group, 'input')].filter(isBox).map(inputValue).join('').startsWith(text);
};
