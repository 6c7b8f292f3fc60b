// Puts a secret into its field in one step: no script of the page runs between
// the last check of the field and the assignment.
const fill = ({node, print, origin, value}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true};
  if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) || factsOf(element).print !== print) return {error: 'changed'};
  if (!isWhollyOf(origin)) return {error: 'origin'};
  if (!staysWith(element, origin)) return {error: 'form'};
  oncePassword.add(element); // the value is never shown from now on, whatever type the field has
  if (element instanceof HTMLInputElement && inputType(element) === 'password') keepHidden(element);
  put(element, value);
  for (const name of ['input', 'change']) dispatch(element, name === 'input'
    ? new InputEvent(name, {bubbles: true, composed: true, inputType: 'insertReplacementText'}) : new Event(name, {bubbles: true}));
  if (!isConnected(element) || !hides(element) || !isWhollyOf(origin)) {
    put(element, '');
    return {error: 'shown'};
  }
  return {ok: true};
};
const put = (element, value) => (element instanceof HTMLInputElement ? writeInput : writeArea)(element, value);

// Whether the document and all of its ancestors are of an origin.
const isWhollyOf = origin => self.origin === origin && [...location.ancestorOrigins].every(outer => outer === origin);

// Whether the action of the field's form, and the formaction of each of its
// controls, lead to an origin.
const staysWith = (element, origin) => {
  const form = formOf(element);
  if (form === null) return true;
  const buttons = controlsOf(form).filter(control => hasAttribute(control, 'formaction'));
  return [formAction(form), ...buttons.map(button => absolute(attribute(button, 'formaction')))].every(to => originOf(to) === origin);
};
const originOf = address => {
  try { return new URL(address).origin; } catch { return ''; }
};

// If the page changes a password field to another type, the field is emptied
// before anybody sees it: observers run before the page is painted.
const hiding = new WeakSet();
const hides = element => !hiding.has(element) || inputType(element) === 'password';
const hideWatch = new MutationObserver(changes => {
  for (const {target} of changes) if (!hides(target)) put(target, '');
});
const keepHidden = element => {
  if (hiding.has(element)) return;
  hiding.add(element);
  hideWatch.observe(element, {attributes: true, attributeFilter: ['type']});
};
