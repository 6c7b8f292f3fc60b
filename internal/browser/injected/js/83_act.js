// What acts need in addition to real input events.
const focusOn = method(HTMLElement.prototype, 'focus');
const focusOnSVG = method(SVGElement.prototype, 'focus');
const selectInput = method(HTMLInputElement.prototype, 'select');
const selectArea = method(HTMLTextAreaElement.prototype, 'select');
const rangeOfInput = method(HTMLInputElement.prototype, 'setSelectionRange');
const rangeOfArea = method(HTMLTextAreaElement.prototype, 'setSelectionRange');
const writeInput = method({set: Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set}, 'set');
const writeArea = method({set: Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set}, 'set');
const writeSelected = method({set: Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected').set}, 'set');
const dispatch = method(EventTarget.prototype, 'dispatchEvent');
const announce = (element, ...names) => {
  for (const name of names) dispatch(element, new Event(name, {bubbles: true, composed: name === 'input'}));
};

// Editors that pages make learn of a selection by an event, which follows it. Slate takes it
// over at most every 100 ms. What is typed earlier goes where the caret was before.
const SELECTION_TIME = 50, SLATE_TIME = 150; // ms
const focus = ({node, all}) => {
  const element = elementOf(node), target = element === null ? null : typedInto(element);
  if (target === null || target instanceof HTMLTextAreaElement || !isWritable(target)) return focusNow({node, all});
  const told = new Promise(done => {
    listen(document, 'selectionchange', done, {once: true});
    after(done, SELECTION_TIME);
  });
  const now = focusNow({node, all});
  return told.then(() => now.ok && closest(target, '[data-slate-editor]') !== null ? pause(SLATE_TIME) : undefined).then(() => {
    renew();
    return now;
  });
};
const focusNow = ({node, all}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true, ok: false};
  const target = typedInto(element), host = hostOfEditing(target);
  if (!all && activeElement() !== host) caretToEnd(target); // what was selected there earlier does not count
  (host instanceof SVGElement ? focusOnSVG : focusOn)(host, {preventScroll: true});
  if (elementOf(node) === null) return {gone: true, ok: false}; // a script of the page removed it
  if (editorOf(target) === null) { // keys move the caret of a code editor
    placeCaret(target, all);
    noteValue(target);
  }
  return {ok: hasFocusOf(element), secret: isProtected(host)};
};
// The editing host of an element inside editable content; any other element
// itself.
const hostOfEditing = element => {
  if (!isWritable(element) || focusable(element)) return element;
  for (let at = element; at !== null; at = flatParent(at)) if (isEditingHost(at)) return at;
  return element;
};
// The element that receives keys: the root element if no element has the focus,
// none if a frame or another document has it. If it is the element that was
// judged, the script then expects its key events.
const hasFocus = method(Document.prototype, 'hasFocus');
const focused = query => {
  let active = activeElement();
  if (active === null || !matches(active, ':focus')) {
    if (!hasFocus(document) || active !== null && framing.has(tagOf(active))) return {node: 0};
    active = documentElement(document);
    if (active === null) return {node: 0};
  } else if (isUnasked(active)) return {node: 0, pierce: askAbout(active)};
  const found = {node: numberOf(active), facts: factsOf(active)};
  if (query.print && query.node === found.node && query.print === found.facts.print) expect({...query, kind: 'focus'});
  return found;
};
