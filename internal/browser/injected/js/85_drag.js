// What is dragged with the pointer, and where it is dropped. Scripts that
// listen cannot be seen from here, but what they listen for can: the attribute
// without which the browser drags nothing, and for drops the elements that
// hold such things, with those beside them that are alike: the other columns
// of a board, the empty one too.
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
// The lowest element around a thing that has others like it beside it, or else
// the one that holds it.
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
