// Styles and boxes, read at most once per element and call.
let cache;
const renew = () => {
  cache = {style: new Map(), displays: new Map(), shown: new Map(), roles: new Map(), names: new Map(), labels: new Map(), contexts: new Map(), verdicts: new Map(), backdrops: new Map(), rects: new Map(), off: new Map(), blends: new Map(), layers: new Map(), grounds: new Map(), plain: new Map(), met: new Map(), seen: new Map(), hidden: new Map(), opaque: new Map(), images: new Map(), draws: undefined, asked: 0};
};
const renewPlaces = () => {
  cache.rects.clear();
  cache.contexts.clear();
  cache.verdicts.clear();
  cache.seen.clear();
  cache.hidden.clear();
  cache.met.clear();
  cache.screen = undefined;
};
renew();
const styleOf = element => {
  let style = cache.style.get(element);
  if (style === undefined) cache.style.set(element, style = getComputedStyle(element));
  return style;
};
// These are read several times for each element and are expensive to read.
const displayOf = element => {
  let display = cache.displays.get(element);
  if (display === undefined) cache.displays.set(element, display = styleOf(element).display);
  return display;
};
// Whether line breaks and spaces of the text are preserved.
const keepsSpace = element => /preserve|break-spaces/.test(styleOf(element).whiteSpaceCollapse);
// A box as a plain object: each property of a DOMRect is a call into the
// browser.
const copied = ({x, y, width, height}) => ({left: x, top: y, right: x + width, bottom: y + height, width, height});
// The box of an element, for passes that do not change the page.
const rectOf = element => {
  let rect = cache.rects.get(element);
  if (rect === undefined) cache.rects.set(element, rect = copied(placeOf(element)));
  return rect;
};
const shows = method(Element.prototype, 'checkVisibility');

const byVisibility = Object.freeze({visibilityProperty: true});
// Whether an element is rendered and exposed: laid out, not visibility: hidden,
// and not inside an aria-hidden element.
const laidOut = element => {
  let known = cache.shown.get(element);
  if (known === undefined) {
    known = displayOf(element) === 'contents'
      ? styleOf(element).visibility === 'visible' && (flatParent(element) === null || laidOut(flatParent(element)))
      : shows(element, byVisibility) || isArea(element) && imageOf(element) !== null;
    cache.shown.set(element, known);
  }
  return known;
};
const ariaHidden = element => {
  for (let at = element; at !== null; at = flatParent(at)) if (attribute(at, 'aria-hidden') === 'true') return true;
  return false;
};

// The box of an element, or of its contents if it has no box of its own.
const boxOf = element => {
  const rect = rectOf(element);
  if (rect.width > 0 || rect.height > 0 || displayOf(element) !== 'contents') return rect;
  const range = new Range();
  range.selectNodeContents(element);
  return copied(range.getBoundingClientRect());
};
// The line boxes of a text. A single Range is reused, because every live Range
// slows down changes of the page. Reading the line boxes costs a third of
// reading the bounding box.
const probe = new Range();
const linesOf = text => {
  probe.selectNodeContents(text);
  const lines = Array.from(probe.getClientRects(), copied);
  probe.selectNodeContents(document);
  probe.collapse(true);
  return lines;
};
// The bounding box of the lines that are not empty.
const aroundLines = lines => {
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const line of lines) {
    if (line.width <= 0 || line.height <= 0) continue;
    left = Math.min(left, line.left);
    top = Math.min(top, line.top);
    right = Math.max(right, line.right);
    bottom = Math.max(bottom, line.bottom);
  }
  return right < left ? nowhere : {left, top, right, bottom, width: right - left, height: bottom - top};
};
const nowhere = Object.freeze({left: 0, top: 0, right: 0, bottom: 0, width: 0, height: 0});
const plainRect = rect => ({x: rect.left, y: rect.top, width: rect.width, height: rect.height});

// Whether a person can point at the element: it is laid out and has a size.
const pointable = element => laidOut(element) && hasSize(boxOf(element), element);
// A straight line of an SVG drawing has no width or no height, because its
// stroke is not part of its box.
const hasSize = ({width, height}, element, least = Number.MIN_VALUE) =>
  width >= least && height >= least || Math.max(width, height) >= least && namespace(element) === SVG;
// The same, also by what stands for the element.
const visible = element => pointable(element) || standInOf(element) !== null;
const isCheckable = element => isHTML(element) && localName(element) === 'input' && /^(checkbox|radio|file)$/.test(inputType(element));
