// A key is for the element that was judged, if that has the focus when the key
// comes, or for a box that follows it (83_boxes.js). After the page moved the focus, keys reach nothing. Inserted text comes
// without keys.
const insertions = new Set(['insertText', 'insertCompositionText', 'insertFromComposition', 'insertLineBreak', 'insertParagraph']);
const modifierKeys = new Set(['Shift', 'Control', 'Alt', 'Meta']);
const guardKey = event => {
  if (!event.isTrusted || event.type === 'beforeinput' && !insertions.has(event.inputType)) return;
  const act = actNow();
  if (act === null || !keyKinds.has(act.kind)) {
    if (admitsAll) return;
    if (event.type === 'keyup') stop(event); // its press went elsewhere, and said so
    else refuse(event, 'keys');
    return;
  }
  renew();
  judgeKey(event, act);
  renew();
};
const judgeKey = (event, act) => {
  if (act.refused !== '') return refuse(event, 'keys');
  const element = followed(act.node), receiver = receiving(act, element);
  if (receiver === null || !hasFocusOf(receiver)) return misdirected(event, act);
  if (event.type === 'keydown' && !isForThis(event, act, element)) return refuse(event, 'effect');
  // Chromium takes a line break that is inserted into an input for Enter.
  if (event.type === 'beforeinput' && event.inputType === 'insertText' && /^[\r\n]+$/.test(event.data ?? '') && activeElement() instanceof HTMLInputElement) stop(event);
  if (event.type === 'keydown') act.keys++;
  if (event.type === 'keydown' && event.key === 'Enter') act.typed++;
  if (event.type === 'beforeinput') act.typed += [...event.data ?? ''].length;
  grant(act);
};
// The page may have changed what Enter does, as it reads what is typed: then Enter
// must be judged again.
const isForThis = (event, act, element) => {
  if (modifierKeys.has(event.key) || act.kind === 'type' && event.key !== 'Enter') return true;
  return isSame(element, act.print, act.kind === 'type');
};
// The page moved the focus. If the element got Enter, the rest of that key is
// dropped. Releases of keys do nothing, except of the space bar.
const misdirected = (event, act) => {
  if (event.type === 'keyup' && event.key !== ' ') {
    if (event.key === 'Enter' || [...event.key].length === 1) stop(event);
    return;
  }
  if (event.type !== 'keypress' || event.key !== 'Enter') return refuse(event, 'keys');
  act.withheld = true;
  stop(event);
};
// Whether keys go to an element: it has the focus, or it is the root or body and no
// element has it.
const hasFocusOf = element => {
  const active = activeElement();
  if (element === documentElement(document) || element === bodyOf(document)) {
    if (active === null || active === bodyOf(document) || active === documentElement(document)) return true;
  }
  const target = tagOf(element) === 'label' ? labelControl(element) ?? element : element;
  return active !== null && (active === hostOfEditing(target) || inFlat(target, active) && !framing.has(tagOf(active)) && !actsAlone(active));
};
