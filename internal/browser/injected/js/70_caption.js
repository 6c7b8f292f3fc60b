// What stands before a field that has no name, and names it for a person: the row
// header, the term of a definition list, a label that is not connected, a text that
// ends in a colon, or the legend of a group that holds nothing else. It is text that
// a person sees, and has at most DERIVED characters.
const CAPTION_UP = 6, CAPTION_NODES = 60; // ancestors of the field; nodes that are examined
const formRoles = new Set(['checkbox', 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch', 'textbox']);
const captionWalls = new Set(['article', 'body', 'dialog', 'fieldset', 'form', 'html', 'li', 'main', 'section', 'table', 'tr']);
const captionOf = (element, role) => {
  if (!formRoles.has(role)) return '';
  const {text, from} = lineBefore(drawnEditor(element) ?? element);
  // The words before a checkbox may be those of the checkbox before it.
  const names = from === 'th' || from === 'dt' || !checkedRoles.has(role) && (from === 'label' || /[:：][\s*]*$/.test(text));
  return fitting((names ? text : floatingLabel(element) || legendOf(element)).replace(/[\s:：*]+$/, ''));
};
const hasLetter = /[\p{L}\p{N}]/u;
const fitting = text => text.length <= DERIVED && hasLetter.test(text) ? text : '';
// The visible text directly before an element: up to the start of its line, another
// control, or the beginning of what contains both. from is the tag that says what
// the text is.
const lineBefore = element => {
  const line = {text: '', from: '', ended: false, left: CAPTION_NODES, element};
  for (let at = element, up = 0; at !== null && up < CAPTION_UP && !line.ended && !captionWalls.has(tagOf(at)); up++, at = flatParent(at)) {
    if (at !== element && !/^(inline|contents)/.test(displayOf(at)) && hasLetter.test(line.text)) break;
    for (let node = previousSibling(at); node !== null && !line.ended; node = previousSibling(node)) readBackwards(node, at, line);
  }
  return {text: clean(line.text), from: line.from};
};
const readBackwards = (node, beside, line) => {
  if (--line.left < 0) line.ended = true;
  else if (nodeType(node) === TEXT) {
    const around = flatParent(node);
    if (around !== null && nodeData(node).trim() !== '' && !hiddenText(node, around)) line.text = limited(nodeData(node), NAME_LIMIT) + line.text;
    else line.text = ' ' + line.text;
  } else if (isElement(node)) readElementBackwards(node, line);
};
const captionTags = new Set(['th', 'dt', 'label']);
const readElementBackwards = (element, line) => {
  const tag = tagOf(element), said = hasLetter.test(line.text);
  if (tag === 'br') line.ended = said;
  if (tag === 'br' || silent.has(tag) || displayOf(element) === 'none' || attribute(element, 'aria-hidden') === 'true') return;
  const block = !/^(inline|contents)/.test(displayOf(element));
  if (tag === 'legend' || tag === 'fieldset' || actsAlone(element) || isEditingHost(element) || isOfFieldBefore(element, line.element) || block && said) {
    line.ended = true;
    return;
  }
  for (let node = lastChild(element); node !== null && !line.ended; node = previousSibling(node)) readBackwards(node, element, line);
  if (!hasLetter.test(line.text)) return;
  if (captionTags.has(tag)) line.from = tag;
  if (block) line.ended = true;
};
// A label that is not connected and follows its field is drawn over or above it.
const floatsOver = (label, field) => {
  const over = rectOf(label), under = rectOf(field);
  return over.left < under.right && over.right > under.left && over.bottom <= under.bottom + 1;
};
const isLooseLabel = element => tagOf(element) === 'label' && labelControl(element) === null;
const floatingLabel = field => {
  const label = nextElement(field);
  return label !== null && isLooseLabel(label) && floatsOver(label, field) ? spokenPart(label) : '';
};
// Whether a label between two fields is the first one's.
const isOfFieldBefore = (label, element) => {
  const field = isLooseLabel(label) ? previousElement(label) : null;
  return field !== null && formRoles.has(roleOf(field)) && (floatsOver(label, field) || parentNode(label) !== parentNode(element));
};
// The legend of a group whose only field is the element.
const legendOf = element => {
  const group = closest(element, 'fieldset'), legend = group === null ? null : childNamed(group, 'legend');
  if (legend === null) return '';
  const all = allInElement(group, 'input, textarea, select, [contenteditable], [role]');
  if (all.length > CAPTION_NODES) return '';
  const fields = [...all].filter(field => field !== element && formRoles.has(roleOf(field)) && visible(field) && !inFlat(field, element) && !inFlat(element, field));
  return fields.length > 0 ? '' : spokenPart(legend);
};
