// Scrolls instantly, without animation; the end position is the same.
const scroll = ({node, x = 0, y = 0}) => {
  const element = node ? elementOf(node) : null;
  if (node && element === null) return {gone: true, x: 0, y: 0};
  if (element !== null && x === 0 && y === 0) {
    bringIntoView(element, {block: 'center', inline: 'nearest', behavior: 'instant'});
    return scrolledTo(scrollingElement(document) ?? documentElement(document));
  }
  const target = scroller(element, x, y);
  if (tookWheel(element, target, x, y)) return {...scrolledTo(target), wheel: true};
  scrollElement(target, {left: x, top: y, behavior: 'instant'});
  return scrolledTo(target);
};
const scrollElement = method(Element.prototype, 'scrollBy');
const scrollLeftOf = getter(Element.prototype, 'scrollLeft');
const scrollTopOf = getter(Element.prototype, 'scrollTop');
const scrollWidthOf = getter(Element.prototype, 'scrollWidth');
const scrollHeightOf = getter(Element.prototype, 'scrollHeight');
// What the mouse wheel would scroll: the nearest scroll container at or around
// the element, or else the document. Without an element it is the document, or,
// if the document cannot scroll, the largest scroll container in the middle of
// the viewport.
const scroller = (element, x, y) => {
  const whole = scrollingElement(document) ?? documentElement(document);
  const start = element ?? (canScroll(whole, x, y) ? null : hitAt(innerWidth / 2, innerHeight / 2));
  for (let at = start; at !== null; at = flatParent(at)) {
    if (at !== whole && /auto|scroll/.test(y !== 0 ? styleOf(at).overflowY : styleOf(at).overflowX) && canScroll(at, x, y)) return at;
  }
  return whole;
};
const canScroll = (element, x, y) => (y !== 0 && scrollHeightOf(element) > clientHeight(element) + 1) || (x !== 0 && scrollWidthOf(element) > clientWidth(element) + 1);
const scrolledTo = element => ({
  x: scrollLeftOf(element), y: scrollTopOf(element),
  maxX: Math.max(0, scrollWidthOf(element) - clientWidth(element)), maxY: Math.max(0, scrollHeightOf(element) - clientHeight(element)),
});
// Whether the page takes the wheel itself, as maps and drawings do: no box scrolls at the
// element, or no part of the page where none was named, and a listener prevents it. What
// covers the element gets nothing.
const tookWheel = (element, target, x, y) => {
  if (target !== (scrollingElement(document) ?? documentElement(document)) || element === null && canScroll(target, x, y)) return false;
  if (element !== null) intoView(element, {block: 'nearest', inline: 'nearest', behavior: 'instant'});
  const rect = element === null ? {left: 0, top: 0, right: innerWidth, bottom: innerHeight} : boxOf(element);
  const clientX = (Math.max(rect.left, 0) + Math.min(rect.right, innerWidth)) / 2, clientY = (Math.max(rect.top, 0) + Math.min(rect.bottom, innerHeight)) / 2;
  const hit = hitAt(clientX, clientY);
  if (hit === null || element !== null && !inFlat(element, hit)) return false;
  const turned = {deltaX: x, deltaY: y, clientX, clientY, bubbles: true, cancelable: true, composed: true, view: window};
  return ['wheel', 'mousewheel'].some(name => !dispatch(hit, new WheelEvent(name, turned))); // the second is what old pages listen to
};
