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

// Whether the page starts a drag and drop, and whether it shows anything of a drag.
let dragStart = null, dragShown = false;
const eventPrevented = getter(Event.prototype, 'defaultPrevented');
const listen = method(EventTarget.prototype, 'addEventListener');
const noteDrag = event => { dragStart = event; };
const showDrag = () => { dragShown = true; };
const dragSigns = new MutationObserver(showDrag);
// Returns whether the pointer must rest after the press: the page listens to presses, and
// may take only one that is held for a drag.
const dragPresses = ['pointerdown', 'mousedown', 'touchstart'];
const watchDrag = ({node, unknown}) => {
  const element = elementOf(node);
  dragStart = null;
  dragShown = element === null || closest(element, 'canvas, video, object, embed, iframe') !== null; // what these show is not known
  listen(window, 'dragstart', noteDrag, {capture: true});
  for (const kind of ['gotpointercapture', 'input', 'change', 'scroll']) listen(window, kind, showDrag, {capture: true, passive: true});
  for (const root of [document, ...knownShadows()]) dragSigns.observe(root, allChanges);
  if (element === null || closest(element, '[draggable=true]') !== null) return false;
  return unknown || answersTo(element, dragPresses);
};
const dragBegan = ({ends}) => {
  if (dragSigns.takeRecords().length > 0) showDrag();
  if (ends) dragSigns.disconnect();
  return {began: dragStart !== null && !eventPrevented(dragStart), shown: dragShown};
};
