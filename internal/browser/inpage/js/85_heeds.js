// Elements that a script listens on for the pointer, as the engine was told: no
// script can see another's listeners. What holds other controls, or much of the
// page, listens on their behalf, and is none itself.
const heeding = new WeakSet();
const HEED_PARTS = 12, HEED_TEXT = 200; // elements and characters of a control
const markListening = (_, ...nodes) => {
  for (const node of nodes) if (isElement(node)) heeding.add(node);
  return nodes.length;
};
const heeds = element => {
  if (!heeding.has(element)) return false;
  const parts = allInElement(element, '*');
  if (parts.length > HEED_PARTS || textContent(element).length > HEED_TEXT) return false;
  return ![...parts].some(part => actsAlone(part) || actingRoles.has(given(part)) || heeding.has(part));
};
