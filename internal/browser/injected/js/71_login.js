// Whether the field belongs to a login: there is a password field in its form,
// or, without a form, in its tree.
const isLogin = element => {
  if (!(element instanceof HTMLInputElement)) return false;
  const form = formOf(element);
  if (form === null) return queryAll(rootOf(element), 'input[type=password i]').length > 0;
  return controlsOf(form).some(control => control instanceof HTMLInputElement && (inputType(control) === 'password' || oncePassword.has(control)));
};
const controlsOf = form => {
  const controls = formElements(form), all = [];
  for (let i = 0; i < Math.min(collectionLength(controls), 2000); i++) all.push(collectionItem(controls, i));
  return all;
};
