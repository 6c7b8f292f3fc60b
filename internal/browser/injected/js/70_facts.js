// The facts about an element that the gate judges.
const formControl = {};
for (const type of [HTMLInputElement, HTMLButtonElement, HTMLSelectElement, HTMLTextAreaElement, HTMLOutputElement, HTMLFieldSetElement]) {
  formControl[type.name] = getter(type.prototype, 'form');
}
const formOf = element => {
  for (let at = element; at !== null; at = flatParent(at)) {
    for (const type of [HTMLInputElement, HTMLButtonElement, HTMLSelectElement, HTMLTextAreaElement, HTMLOutputElement]) {
      if (at instanceof type) return formControl[type.name](at);
    }
    if (at instanceof HTMLFormElement) return at;
  }
  return null;
};
const formAction = getter(HTMLFormElement.prototype, 'action');
const formMethod = getter(HTMLFormElement.prototype, 'method');
const formElements = getter(HTMLFormElement.prototype, 'elements');
const buttonType = getter(HTMLButtonElement.prototype, 'type');
const absolute = text => {
  try { return limited(new URL(text, baseOf(document)).href, URL_LIMIT * 4); } catch { return ''; }
};
const isSubmit = element => {
  if (element instanceof HTMLButtonElement) return buttonType(element) === 'submit';
  return element instanceof HTMLInputElement && /^(submit|image)$/.test(inputType(element));
};
const collectionLength = getter(HTMLCollection.prototype, 'length');
const collectionItem = method(HTMLCollection.prototype, 'item');
// The default button of a form. A disabled one counts too, because typing may
// enable it.
const defaultButton = form => {
  const controls = formElements(form);
  let off = null;
  for (let i = 0; i < Math.min(collectionLength(controls), 2000); i++) {
    const control = collectionItem(controls, i);
    if (!isSubmit(control)) continue;
    if (!disabledOf(control)) return control;
    off ??= control;
  }
  return off;
};
// The control that a click on the element activates: the element itself, an
// enclosing link, button, summary or editable content, or the control of its
// label.
const activated = element => {
  for (let at = element; at !== null; at = flatParent(at)) {
    switch (tagOf(at)) {
      case 'a': case 'area': case 'svg:a': if (hasAttribute(at, 'href')) return at; break;
      case 'button': case 'input': case 'select': case 'textarea': case 'option': case 'optgroup': return at;
      case 'summary': if (isSummary(at)) return at; break;
      case 'label': return labelControl(at) ?? at;
    }
    if (given(at) !== '' && controlRoles.has(given(at)) || isEditingHost(at) || listensAlone(at)) return at;
  }
  return element;
};
const controlRoles = new Set(['button', 'checkbox', 'combobox', 'gridcell', 'link', 'listbox', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'radio', 'scrollbar', 'searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem']);
const isEditable = element => {
  const tag = tagOf(element);
  if (tag === 'textarea') return !hasAttribute(element, 'readonly') && !disabledOf(element);
  if (tag === 'input') return textual(element) && !hasAttribute(element, 'readonly') && !disabledOf(element);
  if (editorOf(element) !== null && attribute(element, 'aria-readonly') !== 'true') return true;
  // A button inside editable content is pressed and not edited.
  if (tag === 'button' || tag === 'select' || pressedRoles.has(given(element))) return false;
  return isWritable(element) && !listensAlone(element);
};
const pressedRoles = new Set(['button', 'link', 'checkbox', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'tab', 'treeitem']);
// Whether an element inside editable content has its own event handler in its
// markup.
const listensAlone = element => !isEditingHost(element) && isWritable(element) &&
  (listens(element) || pointerListeners.has(element)) && !/^(input|textarea|body|html)$/.test(tagOf(element));
const textual = element => /^(text|search|tel|url|email|password|number|date|time|datetime-local|month|week)$/.test(inputType(element));
const codeEditor = '.monaco-editor, .CodeMirror, .cm-editor, .ace_editor, .cm-content, [data-language][contenteditable], pre[contenteditable], code[contenteditable]';
const inCode = element => {
  for (let at = element; at !== null; at = flatParent(at)) {
    if (matches(at, codeEditor)) return true;
    if ((tagOf(at) === 'pre' || tagOf(at) === 'code') && isEditable(at)) return true;
  }
  return false;
};

// A label for an element without a name, from its value, title, icon, test id,
// or the last segment of its address.
const handleKeys = ['data-testid', 'data-test', 'data-test-id', 'data-qa', 'data-cy', 'data-action', 'name', 'id'];
const labelFor = element => {
  for (const key of ['value', 'title', 'alt', 'aria-description', 'data-tooltip', 'data-title', 'data-original-title']) {
    if (key === 'value' && !isSubmit(element) && inputRoles[attribute(element, 'type')] !== 'button' && !isPressedField(element)) continue;
    const text = clean((key === 'value' && isPressedField(element) ? inputValue(element) : attribute(element, key)) ?? '', 200);
    if (text !== '') return text;
  }
  for (const child of [...allInElement(element, 'svg, title, use, i, span, img, [class*=icon]')].slice(0, 8)) {
    const text = iconLabel(child);
    if (text !== '') return text;
  }
  const own = iconLabel(element);
  if (own !== '') return own;
  for (const key of handleKeys) {
    const text = clean(attribute(element, key) ?? '', 200);
    if (text !== '') return text;
  }
  return clean((attribute(element, 'href') ?? '').replace(/[?#].*$/, '').split('/').filter(Boolean).pop() ?? '', 200);
};
// Whether a text field is a control to a person: it has the role of a button, or
// nothing can be typed into it and something happens when it is pressed.
const isPressedField = element => element instanceof HTMLInputElement && textual(element) && !isProtected(element) &&
  (pressedRoles.has(given(element)) || !isEditable(element) && !/^(combobox|listbox)$/.test(given(element)) && !hasAttribute(element, 'aria-haspopup') &&
    (isScripted(element) || closest(element, 'button, a[href], [onclick], [role=button], [role=link], [role=menuitem], [role=switch], [role=checkbox]') !== null));
// The same, for a control that nothing else describes.
const DERIVED = 60; // characters
const wordless = new Set(['button', 'checkbox', 'generic', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'tab', 'treeitem']);
const derivedLabel = (element, role) => {
  const label = captionOf(element, role) || (wordless.has(role) ? clean(labelFor(element), DERIVED) : '');
  return hasWord(label) ? label : undefined;
};
const iconLabel = element => {
  const use = localName(element) === 'use' ? (attribute(element, 'href') ?? attribute(element, 'xlink:href') ?? '').replace(/^.*#/, '') : '';
  const title = attribute(element, 'title') ?? attribute(element, 'aria-label') ?? attribute(element, 'data-icon') ?? '';
  const drawing = localName(element) === 'title' ? textContent(element) : localName(element) === 'img' ? fileName(attribute(element, 'src') ?? '') : '';
  const names = (attribute(element, 'class') ?? '').split(/\s+/).filter(name => !/^(fa|fas|far|icon|icons|bi|mdi|btn|button|svg|svg-inline--fa)$/.test(name));
  return clean(title || use || drawing || names.join(' '), 200);
};

// The file name of a picture without folder and extension.
const fileName = address => /^data:/i.test(address) ? '' : address.replace(/[?#].*$/, '').replace(/^.*\//, '').replace(/\.\w+$/, '');

const factsOf = element => {
  const target = activated(element), tag = tagOf(element);
  const same = target === element || !controlRoles.has(roleOf(target)) ? element : target;
  const facts = {role: roleOf(same), name: nameOf(same), tag: localName(same)};
  if (same instanceof HTMLInputElement) facts.type = inputType(same);
  else if (same instanceof HTMLButtonElement) facts.type = buttonType(same);
  facts.autocomplete = clean(attribute(same, 'autocomplete') ?? '', 100);
  facts.label = hasWord(facts.name) ? beside(same, facts.name) : wordsFor(same, element);
  facts.within = surroundings(element);
  facts.fieldName = clean([attribute(same, 'name'), attribute(same, 'id')].filter(Boolean).join(' '), 200);
  facts.placeholder = clean(attribute(same, 'placeholder') ?? '', 200);
  addLink(facts, target);
  addForm(facts, target);
  facts.also = otherNames(same, facts.name);
  facts.orders = ordersOf(target, formOf(target));
  facts.scripted = isScripted(target);
  facts.dialog = dialogText(element);
  facts.beside = besideOf(target);
  facts.item = itemOf(element);
  facts.row = plainRowText(element);
  facts.blank = isBlank(target);
  facts.emptied = isEmptied(target);
  facts.icons = iconsOf(same);
  facts.on = isOn(same, facts.role);
  facts.chosen = chosenIn(same);
  facts.login = isLogin(same);
  facts.editable = isEditable(same);
  facts.code = inCode(same);
  facts.protected = isProtected(same);
  facts.toggle = isToggle(same, facts.role);
  facts.frame = tag === 'iframe' || tag === 'frame';
  facts.editor = editorOf(same) !== null;
  facts.rect = plainRect(boxOf(drawnEditor(element) ?? element));
  facts.print = JSON.stringify([facts.role, bareNameOf(same), facts.tag, facts.type, facts.label, facts.linkUrl, facts.formAction, facts.formMethod, facts.submits, facts.submitName, facts.protected, facts.editable, choices(same), facts.item, firmNames(same), facts.on, facts.orders, facts.emptied, facts.dialog.replace(/\d+/g, '0'), renewed.get(element)]);
  return facts;
};
// The options of a select element. They are part of its fingerprint.
const choices = element => element instanceof HTMLSelectElement
  ? [...selectOptions(element)].slice(0, OPTIONS).map(option => [clean(optionLabel(option), 200), clean(optionValue(option), 200), ...[groupOf(option)].filter(Boolean).map(groupName)]) : undefined;
// Whether a text has at least two letters or digits. A short text inside an
// element describes it better than an id does; text that people wrote does not
// count.
const hasWord = text => /[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(text);
// The visible text of an element whose name is another text.
const beside = (element, name) => {
  const text = tagOf(element) === 'select' ? '' : clean(written(element, 0), 400);
  return hasWord(text) && text.length <= 200 && !packed(name).includes(packed(text)) ? text : '';
};
const packed = text => text.toLowerCase().replace(/\s+/g, '');
const wordsFor = (same, element) => {
  const label = labelFor(same), text = clean(written(element, 0), 400);
  if (label === '') return clean(text, 200);
  return !hasWord(text) || text.length > 200 || text === label ? label : label + ' · ' + text;
};
// The surroundings of an element: labels, headings and short texts of its
// ancestors. A click or drop on a part without text is judged as one on the
// enclosing element.
const AROUND = 8, BESIDE = 30, LONG = 80; // levels, children of each, characters of one text
const captions = new Set(['b', 'em', 'figcaption', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'i', 'label', 'legend', 'p', 'small', 'span', 'strong']);
const caption = node => {
  if (nodeType(node) === TEXT) return nodeData(node);
  return isElement(node) && captions.has(localName(node)) && !actsAlone(node) ? written(node, 40) : '';
};
const surroundings = element => {
  const texts = [];
  let at = flatParent(element);
  for (let level = 0; level < AROUND && at !== null && !/^(body|html)$/.test(tagOf(at)); level++, at = flatParent(at)) {
    texts.push(attribute(at, 'aria-label') ?? '', attribute(at, 'title') ?? '');
    let node = firstChild(at);
    for (let i = 0; i < BESIDE && node !== null; i++, node = nextSibling(node)) texts.push(caption(node));
  }
  return clean(texts.map(text => clean(text, LONG + 1)).filter(text => text.length <= LONG && hasWord(text)).join(' · '), 400);
};
const written = (element, depth) => {
  let text = '';
  if (depth > 50 || isEditingHost(element) || isEditable(element)) return text;
  for (let node = firstChild(element); node !== null && text.length < 800; node = nextSibling(node)) {
    if (nodeType(node) === TEXT) text += nodeData(node);
    else if (isElement(node) && !skipText.has(localName(node))) text += written(node, depth + 1);
  }
  return text;
};
const addLink = (facts, target) => {
  const href = /^(a|area)$/.test(localName(target)) ? attribute(target, 'href') ?? attribute(target, 'xlink:href') : null;
  if (href !== null) facts.linkUrl = absolute(href);
};
// A select element or checkbox whose markup says that a change submits the
// form. Listeners that a script added are unknown here.
const sendsAtOnce = (target, form) => (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) &&
  [target, form].some(at => ['onchange', 'oninput', 'onclick'].some(key => /submit\s*\(/i.test(attribute(at, key) ?? '')));
const addForm = (facts, target) => {
  const form = formOf(target);
  if (form === null) return;
  const submit = isSubmit(target), button = submit ? target : defaultButton(form);
  const action = submit && attribute(target, 'formaction') || (button && attribute(button, 'formaction'));
  facts.formAction = action ? absolute(action) : limited(formAction(form), URL_LIMIT * 4);
  facts.formMethod = ((submit && attribute(target, 'formmethod')) || formMethod(form)).toLowerCase();
  facts.submits = submit || (target instanceof HTMLInputElement && textual(target)) || sendsAtOnce(target, form);
  if (!facts.submits) {
    if (button !== null && isEditable(target)) facts.submitName = nameOf(button) || labelFor(button);
    return;
  }
  if (button !== null) facts.submitName = nameOf(button) || labelFor(button);
  const fields = fieldsOf(form, button);
  if (fields !== null) Object.assign(facts, {formFields: fields, formRead: true});
};
