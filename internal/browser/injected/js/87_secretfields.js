// Visible fields whose values are secret.
const SECRET_FIELD_LIMIT = 1000;
const guarded = () => {
  const found = [];
  for (const root of rootsOf(true)) {
    for (const element of queryAll(root, 'input,textarea,[contenteditable]')) {
      if (isProtected(element) && pointable(element)) found.push(numberOf(element));
      if (found.length > SECRET_FIELD_LIMIT) return found;
    }
  }
  return found;
};
