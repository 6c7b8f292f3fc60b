// What layout says, read once per element and call.
let cache;
const renew = () => {
  cache = {style: new Map(), displays: new Map(), shown: new Map(), roles: new Map(), names: new Map(), labels: new Map(), contexts: new Map(), verdicts: new Map(), backdrops: new Map(), rects: new Map(), off: new Map(), blends: new Map(), layers: new Map(), grounds: new Map(), plain: new Map(), met: new Map(), seen: new Map(), hidden: new Map(), opaque: new Map(), draws: undefined, asked: 0};
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
// Asked several times of each element, and dear to ask.
const displayOf = element => {
  let display = cache.displays.get(element);
  if (display === undefined) cache.displays.set(element, display = styleOf(element).display);
  return display;
};
// Whether lines and spaces of a text are drawn as they are written.
const keepsSpace = element => /preserve|break-spaces/.test(styleOf(element).whiteSpaceCollapse);
// A box as an object of our own: each property of a DOMRect is a call.
const copied = ({x, y, width, height}) => ({left: x, top: y, right: x + width, bottom: y + height, width, height});
// The box of an element, for passes that only read.
const rectOf = element => {
  let rect = cache.rects.get(element);
  if (rect === undefined) cache.rects.set(element, rect = copied(boundingRect(element)));
  return rect;
};
const shows = method(Element.prototype, 'checkVisibility');

const byVisibility = Object.freeze({visibilityProperty: true});
// Whether an element takes part in the page at all: laid out, not
// visibility: hidden, and not inside something that is aria-hidden.
const laidOut = element => {
  let known = cache.shown.get(element);
  if (known === undefined) {
    known = displayOf(element) === 'contents'
      ? styleOf(element).visibility === 'visible' && (flatParent(element) === null || laidOut(flatParent(element)))
      : shows(element, byVisibility);
    cache.shown.set(element, known);
  }
  return known;
};
const ariaHidden = element => {
  for (let at = element; at !== null; at = flatParent(at)) if (attribute(at, 'aria-hidden') === 'true') return true;
  return false;
};

// The box of an element; of its contents for one that has none itself.
const boxOf = element => {
  const rect = rectOf(element);
  if (rect.width > 0 || rect.height > 0 || displayOf(element) !== 'contents') return rect;
  const range = new Range();
  range.selectNodeContents(element);
  return copied(range.getBoundingClientRect());
};
// The lines of a text. One range serves all: a page pays for each that exists
// whenever it changes, and asking for the lines costs a third of asking for
// the box around them.
const probe = new Range();
const linesOf = text => {
  probe.selectNodeContents(text);
  const lines = Array.from(probe.getClientRects(), copied);
  probe.selectNodeContents(document);
  probe.collapse(true);
  return lines;
};
// The box around lines, of those that have a size.
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

// Whether a person could point at the element: laid out and of some size; or,
// for a checkbox or radio button drawn by other means, at its label.
const pointable = element => laidOut(element) && hasSize(boxOf(element), element);
// A straight line of a drawing has no width or no height: its stroke is no part
// of its box.
const hasSize = ({width, height}, element, least = Number.MIN_VALUE) =>
  width >= least && height >= least || Math.max(width, height) >= least && namespace(element) === SVG;
const visible = element => pointable(element) || (isCheckable(element) && labelsOf(element).some(pointable));
const isCheckable = element => isHTML(element) && localName(element) === 'input' && /^(checkbox|radio|file)$/.test(inputType(element));
