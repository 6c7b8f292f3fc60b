// What typing needs in addition to keys: the caret, text of several lines, and the
// change event.
const command = method(Document.prototype, 'execCommand');
const inputValidity = getter(HTMLInputElement.prototype, 'validity');
const badInput = getter(ValidityState.prototype, 'badInput');
const typedInto = element => tagOf(element) === 'label' ? labelControl(element) ?? element : element;

// Selects all text of the field that has the focus, or places the caret at its end.
// Text that is selected already stays so: what is typed replaces it.
const placeCaret = (element, all) => {
  const field = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  if (!all && (field || isWritable(element)) && `${getSelection()}` !== '') return;
  if (!field && isWritable(element)) {
    const selection = getSelection();
    selection.selectAllChildren(element);
    if (!all) selection.collapseToEnd();
  } else if (!all) caretToEnd(element);
  else if (element instanceof HTMLInputElement) selectInput(element);
  else if (field) selectArea(element);
  if (!all && element instanceof HTMLInputElement && /^(number|email)$/.test(inputType(element))) getSelection().modify('move', 'forward', 'documentboundary');
};
// Places the caret of a field at its end, where scripts can: not in a number or an address.
const caretToEnd = element => {
  if (element instanceof HTMLTextAreaElement) rangeOfArea(element, areaValue(element).length, areaValue(element).length);
  else if (element instanceof HTMLInputElement && /^(text|search|tel|url|password)$/.test(inputType(element))) rangeOfInput(element, inputValue(element).length, inputValue(element).length);
};

// Inserts a text of several lines, or with tabs, in one step: no Enter or Tab is
// pressed, which pages may take for "send", and no script of the page runs between the
// check and the text. Editors that pages make take it as a paste, which they prevent
// the browser from doing itself. Code editors too, because typed text would be indented
// and its brackets closed. A text that must be typed key by key (keyed) is only pasted.
const PASTE_TIME = 1000; // milliseconds until the editor shows the text: it may ask a worker first
const insert = async ({node, print, text, keyed, boxes}) => {
  if (boxes) return fromBox(node, text);
  const element = followed(node);
  if (element === null) return {gone: true};
  const target = typedInto(element), editor = editorOf(target) !== null;
  const area = target instanceof HTMLTextAreaElement && !editor;
  const refusal = () => isSame(element, print, true) && hasFocusOf(element) && !isProtected(target) ? '' : 'changed';
  if (refusal() !== '') return {error: refusal()};
  if (!isEditable(target) || !editor && !area && !isWritable(target)) return {ok: false};
  if (!area) {
    const clipboardData = new DataTransfer(), before = shownIn(target);
    clipboardData.setData('text/plain', text);
    const taken = !dispatch(target, new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true, composed: true}));
    if (taken) await until(() => shownIn(target) !== before, PASTE_TIME);
    if (editor) return {ok: taken};
    renew();
    if (shownIn(target) !== before) return {ok: true};
    if (refusal() !== '') return {error: refusal()};
  }
  if (keyed) return {ok: false};
  try {
    return {ok: command(document, 'insertHTML', false, accepted(area || keepsSpaces(target) ? escaped(text) : asMarkup(text)))};
  } catch { return {ok: false}; } // the page requires markup of its own policies
};
// Markup as a page takes it that requires trusted types.
let policy = null;
const accepted = markup => {
  if (globalThis.trustedTypes === undefined) return markup;
  policy ??= trustedTypes.createPolicy('glovebox', {createHTML: text => text});
  return policy.createHTML(markup);
};
const shownIn = element => element instanceof HTMLTextAreaElement ? valueOf(element) : textContent(element);
const keepsSpaces = element => /^(pre|pre-wrap|break-spaces)$/.test(styleOf(element).whiteSpace);
// A text as the browser pastes it: it looks the same where white space collapses.
const asMarkup = text => text.split('\n').map(line => escaped(line).replaceAll('\t', '<span style="white-space:pre">\t</span>')
  .replace(/^ | $/g, '\u00A0').replaceAll('  ', ' \u00A0')).join('<br>');

// A change event is dispatched as soon as a text is typed, as leaving the field would:
// the next act may leave the focus where it is. The event that the browser dispatches
// when the field is left then says nothing new, and the page does not get it.
const valuesBefore = new WeakMap(); // of fields that were given the focus
const committed = new WeakMap(); // values of fields, of which the page was told
const valueInField = element => element instanceof HTMLInputElement ? inputValue(element) : element instanceof HTMLTextAreaElement ? areaValue(element) : null;
const noteValue = element => {
  const value = valueInField(element);
  if (value !== null) valuesBefore.set(element, value);
};
const commit = ({node}) => {
  const field = fieldsTyped(node).at(-1) ?? null;
  const value = field === null || hasFormat(field) || editorOf(field) !== null ? null : valueInField(field);
  if (value === null || valuesBefore.get(field) === value) return null;
  if (field instanceof HTMLInputElement && badInput(inputValidity(field))) return null; // it has no value
  for (let root = rootOf(field); root instanceof ShadowRoot; root = rootOf(hostOf(root))) listen(root, 'change', dropRepeated, {capture: true});
  announce(field, 'change');
  committed.set(field, valueInField(field));
  return null;
};
const dropRepeated = event => {
  const field = event.isTrusted ? receiverOf(event) : null;
  if (field === null || !committed.has(field)) return;
  const value = committed.get(field);
  committed.delete(field);
  if (value === valueInField(field)) event.stopImmediatePropagation();
};
// The field that a text was typed into, and the boxes that the text went on in.
const fieldsTyped = node => {
  const element = followed(node);
  return element === null ? [] : [typedInto(element), ...(lastAct?.node === node ? lastAct.boxes : [])];
};
// What the field holds after the act; nothing if that is secret.
const held = ({node}) => {
  const fields = fieldsTyped(node), field = fields[0] ?? null;
  if (field === null || fields.some(isProtected)) return {};
  if (fields.length > 1) return {value: fields.map(inputValue).join('')};
  return {value: valueInField(field) !== null ? valueOf(field) : isWritable(field) ? editableText(field) : undefined};
};
