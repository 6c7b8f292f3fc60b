// Further facts about an act on an element: the commands in its form and
// attributes, the dialog that contains it, and the neighbouring buttons.
const PAIRS = 12, PAIR = 120; // how many orders, and characters of each
const ordering = /^(_?method|_?action|action\d|do|act|op|operation|cmd|command|task|event|mode|func|function|intent|commit|bulk_?action|submit|button|verb|step|type)$/i;
const dataOrders = ['data-method', 'data-confirm', 'data-turbo-method', 'data-turbo-confirm', 'data-action', 'data-url', 'data-href', 'hx-delete', 'hx-post', 'hx-put',
  'hx-patch', 'hx-confirm', 'data-hx-delete', 'data-hx-post', 'formaction', 'ping', 'command', 'popovertargetaction'];
const inlineHandlers = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'onkeydown', 'onkeyup', 'onkeypress', 'ontouchstart', 'ontouchend', 'ondblclick'];
// Commands, as name=value: hidden fields of the form that select an operation,
// and attributes with which libraries turn a link or button into a request.
const ordersOf = (target, form) => {
  const orders = [], add = (name, value) => {
    const text = squeeze(value ?? '');
    if (text !== '' && orders.length < PAIRS) orders.push(clean(name + '=' + text, PAIR));
  };
  for (const name of dataOrders) add(name, attribute(target, name));
  if (isSubmit(target) && ordering.test(attribute(target, 'name') ?? '')) add(attribute(target, 'name'), attribute(target, 'value'));
  if (form === null) return orders.join(' · ');
  for (const name of ['data-method', 'data-confirm', 'data-turbo-method', 'data-turbo-confirm', 'hx-delete', 'hx-post', 'hx-confirm']) add(name, attribute(form, name));
  for (const control of controlsOf(form)) {
    const name = attribute(control, 'name') ?? '';
    if (control instanceof HTMLInputElement && inputType(control) === 'hidden' && ordering.test(name)) add(name, inputValue(control));
  }
  return orders.join(' · ');
};

const SENT = 60, SENT_VALUE = 200; // how many fields of a form, and characters of each value
// The fields that a form sends when it is submitted now with a button, as name and
// value, without secrets and files; null if it has too many.
const fieldsOf = (form, button) => {
  const fields = [];
  for (const control of controlsOf(form)) {
    const name = attribute(control, 'name') ?? '';
    if (name === '' || disabledOf(control)) continue;
    for (const value of valuesOf(control, button)) {
      if (fields.length === SENT || name.length > SENT_VALUE) return null;
      fields.push([name, limited(squeeze(value), SENT_VALUE)]);
    }
  }
  return fields;
};
const valuesOf = (control, button) => {
  if (control instanceof HTMLButtonElement) return control === button ? [attribute(control, 'value') ?? ''] : [];
  if (control instanceof HTMLSelectElement) return [...selectChosen(control)].slice(0, SENT + 1).filter(option => !disabledOf(option)).map(optionValue);
  if (control instanceof HTMLTextAreaElement) return isProtected(control) ? [] : [areaValue(control)];
  if (!(control instanceof HTMLInputElement)) return [];
  switch (inputType(control)) {
    case 'submit': return control === button ? [inputValue(control)] : [];
    case 'checkbox': case 'radio': return inputChecked(control) ? [inputValue(control)] : [];
    case 'button': case 'reset': case 'image': case 'file': return [];
  }
  return isProtected(control) ? [] : [inputValue(control)];
};
// Whether a script of the page handles acts on the element, as far as its
// markup and the known listeners show.
const isScripted = target => !isEditable(target) && inlineHandlers.some(name => hasAttribute(target, name)) || /^\s*javascript:/i.test(attribute(target, 'href') ?? '') ||
  !isEditable(target) && (listening.get(target)?.size ?? 0) > 0 && [...listening.get(target)].some(kind => /^(click|mouse|pointer|touch|dblclick|key)/.test(kind));

const DIALOG_TEXT = 300; // characters
const modalClass = /(^|[\s_-])(modal|dialog|popup|popover|lightbox|alertify|swal2?|sweet-alert|confirm(ation)?)([\s_-]|$)/i;
const isDialog = element => {
  const role = given(element);
  if (tagOf(element) === 'dialog' || role === 'dialog' || role === 'alertdialog' || attribute(element, 'aria-modal') === 'true') return true;
  return hasAttribute(element, 'popover') || modalClass.test(attribute(element, 'class') ?? '');
};
// The outermost dialog around an element. Then the buttons in an element of
// class modal-footer are judged together with the heading of the dialog.
const dialogOf = element => {
  let found = null;
  for (let at = flatParent(element); at !== null && !/^(body|html)$/.test(tagOf(at)); at = flatParent(at)) {
    if (isDialog(at) && (found === null || textContent(at).length < 4000)) found = at;
  }
  return found;
};
// The text of a dialog: its name, and its text outside of controls.
const dialogText = element => {
  const dialog = dialogOf(element);
  if (dialog === null) return '';
  const texts = [nameOf(dialog) || headingIn(dialog), dialogWords(dialog, 0)].map(text => clean(text, DIALOG_TEXT)).filter(hasWord);
  return texts.length === 0 ? roleOf(dialog) : texts.join(' · ');
};
const headingIn = dialog => {
  const [heading] = allInElement(dialog, 'h1, h2, h3, h4, h5, h6, [role=heading], [class*=title], [class*=heading]');
  return heading === undefined ? '' : textContent(heading);
};
const dialogWords = (element, depth) => {
  let text = '';
  for (let node = firstChild(element); node !== null && depth < 30 && text.length < DIALOG_TEXT * 2; node = nextSibling(node)) {
    if (nodeType(node) === TEXT) text += nodeData(node);
    else if (isElement(node) && !silent.has(localName(node)) && !actsAlone(node) && displayOf(node) !== 'none') text += ' ' + dialogWords(node, depth + 1) + ' ';
  }
  return text;
};
// The names of the buttons next to an element.
const besideOf = target => {
  const names = [];
  let around = flatParent(target);
  for (let up = 0; up < 2 && around !== null && names.length === 0; up++, around = flatParent(around)) {
    const all = allInElement(around, 'button, input[type=submit], input[type=button], input[type=reset], [role=button], a[href]');
    for (const other of [...all].slice(0, 12)) {
      if (other !== target && names.length < 6 && laidOut(other)) names.push(clean(nameOf(other), 60));
    }
  }
  return names.filter(hasWord).join(' · ');
};
// Whether the fields around an element are empty, so that it cannot send
// anything: the fields of its form or dialog, or those near it.
const FIELDS_UP = 4; // ancestors
const isBlank = element => {
  let around = formOf(element) ?? dialogOf(element);
  for (let at = flatParent(element), up = 0; around === null && at !== null && up <= FIELDS_UP; at = flatParent(at), up++) {
    if (up === FIELDS_UP || /^(body|html)$/.test(tagOf(at))) around = at;
  }
  if (around === null) return false;
  const fields = [...allInElement(around, 'textarea, input, [contenteditable]')].slice(0, 50);
  return !fields.some(field => isEditable(field) && (isProtected(field) || hasWord(valueOf(field) + textContent(field))));
};
// Whether a text area of the form had a default text and is empty now.
// Submitting the form would delete that text.
const isEmptied = element => {
  const form = formOf(element);
  if (form === null) return false;
  return controlsOf(form).slice(0, 200).some(field => tagOf(field) === 'textarea' && hasWord(areaDefault(field)) && !hasWord(areaValue(field)));
};
// Elements that only toggle, select or expand something: a checkbox, an item
// that really is inside a list, tree, menu or table, a tab among other tabs,
// and a control for an existing popup. The role alone is not sufficient.
const wholes = {tab: ['tablist'], option: ['listbox', 'combobox'], treeitem: ['tree'], menuitemcheckbox: ['menu', 'menubar', 'group'],
  menuitemradio: ['menu', 'menubar', 'group'], columnheader: ['table', 'grid', 'treegrid']};
const isToggle = (element, role) => {
  if (tagOf(element) === 'summary') return isSummary(element);
  if (role === 'checkbox' || role === 'radio' || role === 'switch') return tagOf(element) === 'input' || hasAttribute(element, 'aria-checked');
  return wholes[role] !== undefined ? isPartOf(element, wholes[role]) : opens(element);
};
const WHOLE_UP = 8; // ancestors
const isPartOf = (element, roles) => {
  for (let at = flatParent(element), up = 0; at !== null && up < WHOLE_UP; at = flatParent(at), up++) {
    if (roles.includes(roleOf(at))) return roleOf(at) !== 'tablist' || allInElement(at, '[role=tab]').length > 1;
  }
  return tagOf(element) === 'option';
};
const opens = element => {
  if (!hasAttribute(element, 'aria-expanded')) return false;
  const ids = attribute(element, 'aria-controls') ?? attribute(element, 'aria-owns');
  if (ids !== null && ids.trim().split(/\s+/).some(id => idIn(rootOf(element), id) !== null)) return true;
  return /^(true|menu|listbox|tree|grid|dialog)$/.test(attribute(element, 'aria-haspopup') ?? '');
};
