// The element at a point of the viewport.
const at = ({x, y}) => {
  const hit = hitAt(x, y);
  if (hit === null) return {node: 0};
  if (isUnasked(hit)) return {node: 0, pierce: askAbout(hit)};
  const found = {node: numberOf(hit), facts: factsOf(hit)};
  if (framing.has(tagOf(hit))) {
    const {left, top, scaleX, scaleY} = framePlace(hit, 0, 0);
    found.inner = {x: (x - left) / scaleX, y: (y - top) / scaleY};
  }
  return found;
};
// A point that the caller gave: it must reach the element. The page is not
// scrolled for it.
const givenPoint = ({x, y}, target, element, alone) => {
  const hit = hitAt(x, y);
  if (!reaches(hit, target, element)) return {by: describe(hit)};
  const inner = alone ? innerAt(hit, target, element) : null;
  if (inner === null) return {x, y};
  return isUnasked(inner) ? {pierce: askAbout(inner)} : {by: describe(inner)};
};
const offsetPoint = (offset, target, element, alone) => {
  const at = () => {
    const {left, top} = placeOf(target);
    return {x: left + offset.x, y: top + offset.y};
  };
  let point = givenPoint(at(), target, element, alone);
  if (point.by === undefined) return point;
  renewPlaces();
  bringIntoView(target, {block: 'center', inline: 'center', behavior: 'instant'});
  return givenPoint(at(), target, element, alone);
};

// Whether the page starts a drag and drop.
let dragStart = null;
const eventPrevented = getter(Event.prototype, 'defaultPrevented');
const listen = method(EventTarget.prototype, 'addEventListener');
const noteDrag = event => { dragStart = event; };
const watchDrag = () => {
  dragStart = null;
  listen(window, 'dragstart', noteDrag, {capture: true});
  return null;
};
const dragBegan = () => dragStart !== null && !eventPrevented(dragStart);
