// Whether a dialog blocks everything outside of it: either the browser enforces
// that, or an element covers the whole viewport.
const blocksPage = dialog => {
  if (tagOf(dialog) === 'dialog' && matches(dialog, ':modal')) return true;
  const width = innerWidth, height = innerHeight;
  return [[0.02, 0.02], [0.98, 0.02], [0.02, 0.98], [0.98, 0.98]].every(([x, y]) => laidOver(pointInDocument(document, x * width, y * height), dialog));
};
// Whether the element at a point belongs to the dialog, or to a cover that
// contains no controls but those of the dialog. The frame of an application
// contains others, so it is no cover.
const laidOver = (hit, dialog) => {
  for (let element = hit; element !== null && element !== bodyOf(document) && element !== documentElement(document); element = flatParent(element)) {
    if (element === dialog) return true;
    const {position} = styleOf(element);
    if (position !== 'fixed' && position !== 'absolute') continue;
    const rect = boundingRect(element);
    if (rect.width < innerWidth * 0.95 || rect.height < innerHeight * 0.95) continue;
    return [...allInElement(element, 'a[href],button,input,select,textarea,[tabindex]')].every(control => control === dialog || contains(dialog, control));
  }
  return false;
};
