// Scrolls instantly, without animation; the end position is the same.
const scroll = ({node, x = 0, y = 0}) => {
  const element = node ? elementOf(node) : null;
  if (node && element === null) return {gone: true, x: 0, y: 0};
  if (element !== null && x === 0 && y === 0) {
    bringIntoView(element, {block: 'center', inline: 'nearest', behavior: 'instant'});
    return scrolledTo(scrollingElement(document) ?? documentElement(document));
  }
  const target = scroller(element, x, y);
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
