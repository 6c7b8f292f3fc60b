// Values of fields, and which of them are secret.
const inputValue = getter(HTMLInputElement.prototype, 'value');
const inputChecked = getter(HTMLInputElement.prototype, 'checked');
const inputIndeterminate = getter(HTMLInputElement.prototype, 'indeterminate');
const areaValue = getter(HTMLTextAreaElement.prototype, 'value');
const selectOptions = getter(HTMLSelectElement.prototype, 'options');
const selectChosen = getter(HTMLSelectElement.prototype, 'selectedOptions');
const optionLabel = getter(HTMLOptionElement.prototype, 'label');
const optionValue = getter(HTMLOptionElement.prototype, 'value');
const optionSelected = getter(HTMLOptionElement.prototype, 'selected');
const outputValue = getter(HTMLOutputElement.prototype, 'value');
const progressValue = getter(HTMLProgressElement.prototype, 'value');
const meterValue = getter(HTMLMeterElement.prototype, 'value');

// A field that was ever a password field stays protected, also when the page
// makes its value visible.
const oncePassword = new WeakSet();
const secretComplete = /(^|\s)(current-password|new-password|one-time-code|cc-(number|csc|exp|exp-month|exp-year|name|given-name|family-name|additional-name|type))(\s|$)/i;
const secretHint = /pass(word|wd|phrase|code)|\bpwd\b|passwort|kennwort|contrase(ñ|n)a|mot.?de.?passe|senha|wachtwoord|密码|パスワード|비밀번호|пароль|one.?time|\botp\b|\btotp\b|\b[2m]fa\b|two.?factor|verification.?code|security.?code|\bcvv2?\b|\bcvc2?\b|\bcsc\b|card.?(number|no\b|num\b|code|verification)|credit.?card|\bcc.?(num|number|csc|cvc|cvv)|\bpin\b|\bpin.?code|\bssn\b|social.?security|secret|api.?key|private.?key|access.?token|auth.?token|recovery.?code|backup.?code|seed.?phrase/i;
// Phrases with a word of those that mean something else, and fields of addresses: a PIN code is
// a postal code in some countries.
const harmlessHint = /secret.?santa|trade.?secret|pin.?board|board.?pin|map.?pin|pin.?name|(token|api.?key|access.?key|secret).?name|password.?(hint|policy|length)|(library|loyalty|membership|business|playing|sim|graphics).?card(.?(number|no\b|num\b|code))?/gi;
const plainComplete = /(^|\s)(postal-code|street-address|address-(line[123]|level[1234])|country(-name)?)(\s|$)/i;
const worded = text => text.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_\-.[\]]+/g, ' ');
const isProtected = element => {
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'textarea') return isEditingHost(element) && securityOf(element);
  if (oncePassword.has(element)) return true;
  const type = tag === 'input' ? inputType(element) : 'textarea';
  if (type === 'password') {
    oncePassword.add(element);
    return true;
  }
  if (type !== 'textarea' && !/^(text|tel|number|search|email|url)$/.test(type)) return false;
  if (secretComplete.test(completionOf(element))) return true;
  if (securityOf(element)) return true;
  if (plainComplete.test(attribute(element, 'autocomplete') ?? '')) return false;
  return ['name', 'id', 'aria-label', 'placeholder'].some(key => saysSecret(worded(attribute(element, key) ?? ''))) ||
    labelsOf(element).some(label => saysSecret(limited(textContent(label), 200)));
};
// The autocomplete attribute. Lists of suggestions have new-password to keep the browser's own
// suggestions away.
const completionOf = element => {
  const tokens = attribute(element, 'autocomplete') ?? '';
  return /new-password/i.test(tokens) && /^(combobox|searchbox)$/.test(roleOf(element)) ? tokens.replace(/new-password/gi, '') : tokens;
};
const saysSecret = text => secretHint.test(text.replace(harmlessHint, ' '));
const securityOf = element => {
  const security = styleOf(element).webkitTextSecurity;
  return security !== undefined && security !== 'none' && security !== '';
};

// The visible value of a control; empty for a protected one.
const valueOf = element => {
  if (isProtected(element)) return '';
  switch (tagOf(element)) {
    case 'input': return inputShown(element);
    case 'textarea': return areaShown(element);
    case 'select': return clean([...selectChosen(element)].slice(0, 20).map(optionLabel).join(', '), VALUE_LIMIT);
    case 'output': return '';
    case 'progress': return hasAttribute(element, 'value') ? String(progressValue(element)) : '';
    case 'meter': return String(meterValue(element));
  }
  return ariaValue(element);
};
const areaShown = element => {
  const editor = editorOf(element);
  return editor === null ? cleanLines(areaValue(element), VALUE_LIMIT) : editorText(editor);
};
const inputShown = element => {
  switch (inputType(element)) {
    case 'button': case 'submit': case 'reset': case 'image': case 'checkbox': case 'radio': case 'hidden': return '';
    case 'file': return clean(inputValue(element).replace(/^.*[\\/]/, ''), VALUE_LIMIT);
  }
  return cleanLines(inputValue(element), VALUE_LIMIT);
};
const ariaValue = element => {
  const role = roleOf(element);
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter' || role === 'scrollbar') {
    return clean(attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow') ?? '');
  }
  if ((role === 'textbox' || role === 'searchbox' || role === 'combobox') && isElement(element)) return editableText(element);
  return '';
};
// The text of editable content, line by line; the plain text of other elements.
const editableText = element => {
  const editor = editorOf(element);
  if (editor !== null) return editorText(editor);
  return isEditingHost(element) ? cleanLines(readable(element, VALUE_LIMIT).text, VALUE_LIMIT) : clean(visibleText(element, VALUE_LIMIT), VALUE_LIMIT);
};
const visibleText = (element, limit) => {
  const walk = newWalk(false);
  walk.left = limit;
  walk.root = element;
  return contentText(element, walk, 0);
};
// The script runs from the start of the document. It therefore records a
// password field before the page can change the field's type.
const notePasswords = root => {
  for (const field of queryAll(root, 'input[type=password i]')) oncePassword.add(field);
};
let possibleHosts = new WeakMap(); // by root, until the tree changes: see mayHost
let changedAt = 0; // when the tree last changed
const takeIn = changes => {
  changedAt = performance.now();
  for (const change of changes) {
    if (change.type === 'attributes') {
      if ((change.oldValue ?? '').toLowerCase() === 'password') oncePassword.add(change.target);
      isProtectedType(change.target);
      continue;
    }
    possibleHosts = new WeakMap();
    if (change.target === document) guardInput();
    for (const node of change.addedNodes) {
      if (!isElement(node)) continue;
      isProtectedType(node);
      if (firstChild(node) !== null) notePasswords(node);
    }
  }
};
const passwordWatch = new MutationObserver(takeIn);
// Processes the mutations that the observer has not delivered yet.
const noticeChanges = () => {
  const changes = passwordWatch.takeRecords();
  if (changes.length > 0) takeIn(changes);
};
const watched = new WeakSet();
const shadows = new Set(); // weak references to known shadow roots in the document
const knownShadows = () => {
  const known = [];
  for (const shadow of shadows) {
    const root = shadow.deref();
    if (root === undefined) shadows.delete(shadow);
    else known.push(root);
  }
  return known;
};
const watchShadow = root => {
  if (watched.has(root)) return;
  watched.add(root);
  if (root !== document) shadows.add(new WeakRef(root));
  passwordWatch.observe(root, {subtree: true, childList: true, attributes: true, attributeFilter: ['type'], attributeOldValue: true});
  notePasswords(root);
};
const isProtectedType = element => {
  if (localName(element) === 'input' && attribute(element, 'type')?.toLowerCase() === 'password') oncePassword.add(element);
};
watchShadow(document);
