// Whether a dialog keeps all that is outside of it from being acted on: the
// browser sees to it, or something lies over the whole viewport.
const blocksPage = dialog => {
  if (tagOf(dialog) === 'dialog' && matches(dialog, ':modal')) return true;
  const width = innerWidth, height = innerHeight;
  return [[0.02, 0.02], [0.98, 0.02], [0.02, 0.98], [0.98, 0.98]].every(([x, y]) => laidOver(pointInDocument(document, x * width, y * height), dialog));
};
// Whether what receives a point is of the dialog, or of a cover that has no other
// controls than the dialog's: the frame of an application has.
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
