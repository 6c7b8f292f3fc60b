// Event listeners of scripts, as reported by the engine: a script cannot read
// them. An element with a listener for the pointer is a control, unless it
// contains other controls or much of the page: it then handles events of its
// descendants.
const pointerListeners = new WeakSet(), listening = new WeakMap(); // for the pointer; nodes to the kinds of events
const windowListening = new Set(); // the kinds of events
const markWindow = kinds => { for (const kind of kinds) windowListening.add(kind); return null; };
const POINTER_PARTS = 12, POINTER_TEXT = 200; // elements and characters of a control
// Returns how many elements became controls that were none.
const markListening = (all, ...nodes) => {
  let became = 0;
  nodes.forEach((node, i) => {
    const {kinds, points} = all[i], known = listening.get(node) ?? new Set();
    listening.set(node, known);
    for (const kind of kinds) known.add(kind);
    if (!points || !isElement(node) || pointerListeners.has(node)) return;
    pointerListeners.add(node);
    if (!actsAlone(node)) became++;
  });
  return became;
};
const actsOnPointer = element => {
  if (!pointerListeners.has(element)) return false;
  const parts = allInElement(element, '*');
  if (parts.length > POINTER_PARTS || textContent(element).length > POINTER_TEXT) return false;
  return ![...parts].some(part => actsAlone(part) || actingRoles.has(given(part)) || pointerListeners.has(part));
};
