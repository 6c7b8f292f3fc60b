// What can be dragged with the pointer, and where it can be dropped. Listeners
// of scripts are not visible here. Draggable elements have the attribute that
// browsers require. Drop targets are the containers of draggable elements, and
// similar siblings of the containers: the other columns of a board, including
// empty ones.
const DRAG_LOOKS = 1000, DRAG_LEVELS = 3;
const dragged = element => attribute(element, 'draggable') === 'true';
const takesDrops = element => dropPlaces().has(element);
const dropPlaces = () => {
  if (cache.drops === undefined) {
    cache.drops = new Set();
    let looks = 0;
    for (const thing of allInDocument(document, '[draggable="true"]')) {
      if (looks++ >= DRAG_LOOKS) break;
      addPlaces(thing);
    }
  }
  return cache.drops;
};
// Adds the lowest ancestor that has similar siblings, with these siblings, or
// else the parent.
const addPlaces = thing => {
  let holder = parentNode(thing);
  for (let level = 1; level <= DRAG_LEVELS && isPlace(holder); level++, holder = parentNode(holder)) {
    if (cache.drops.has(holder)) return;
    const beside = alikeBeside(holder, level > 1);
    if (beside.length > 0) return [holder, ...beside].forEach(place => cache.drops.add(place));
  }
  if (isPlace(parentNode(thing))) cache.drops.add(parentNode(thing));
};
const isPlace = node => node !== null && nodeType(node) === ELEMENT && node !== bodyOf(document) && node !== documentElement(document);
const alikeBeside = (element, classed) => {
  const kind = attribute(element, 'class') ?? '', found = [];
  if (classed && kind === '') return found;
  for (let other = firstElement(parentNode(element)); other !== null && found.length < DRAG_LOOKS; other = nextElement(other))
    if (other !== element && localName(other) === localName(element) && (attribute(other, 'class') ?? '') === kind) found.push(other);
  return found;
};
