// What scripts listen on, as the engine was told: no script can see another's
// listeners. Elements that one listens on for the pointer are controls. What
// holds other controls, or much of the page, listens on their behalf, and is
// none itself.
const pointerListeners = new WeakSet(), listening = new WeakMap(); // for the pointer; nodes to the kinds of events
const POINTER_PARTS = 12, POINTER_TEXT = 200; // elements and characters of a control
const markListening = (all, ...nodes) => nodes.forEach((node, i) => {
  const {kinds, points} = all[i], known = listening.get(node) ?? new Set();
  listening.set(node, known);
  for (const kind of kinds) known.add(kind);
  if (points && isElement(node)) pointerListeners.add(node);
});
const actsOnPointer = element => {
  if (!pointerListeners.has(element)) return false;
  const parts = allInElement(element, '*');
  if (parts.length > POINTER_PARTS || textContent(element).length > POINTER_TEXT) return false;
  return ![...parts].some(part => actsAlone(part) || actingRoles.has(given(part)) || pointerListeners.has(part));
};
