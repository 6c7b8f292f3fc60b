// The ways in which a page can hide text. A context holds the effects of an
// element's ancestors on its descendants. Most elements have no effect and
// share the context of their parent.
const openContext = Object.freeze({clip: null, clipAbsolute: null, opacity: 1, unseen: '', tinted: null, fixed: false, reach: null, sunk: false});
const contextOf = element => {
  let context = cache.contexts.get(element);
  if (context !== undefined) return context;
  const parent = flatParent(element);
  context = enter(element, parent === null ? openContext : contextOf(parent), styleOf(element));
  cache.contexts.set(element, context);
  return context;
};
const BARELY = 0.05; // text with less opacity or alpha is unreadable
const enter = (element, outer, style) => {
  let inner = outer;
  const change = values => inner = {...inner, ...values};
  const opacity = style.opacity;
  if (opacity !== '1') {
    change({opacity: inner.opacity * opacity});
    if (inner.opacity < BARELY) change({unseen: inner.unseen || 'opacity'});
  }
  const clipPath = style.clipPath;
  if (clipPath !== 'none' && clipsAll(clipPath, element)) change({unseen: 'clipped'});
  const filter = style.filter;
  if (filter !== 'none') change(/opacity\(0(\.0\d*)?%?\)|blur\(\d{2,}/.test(filter) ? {unseen: 'filtered'} : {tinted: element});
  const mask = style.maskImage;
  if (mask !== 'none' && (masksAll(mask) || maskMisses(element, style))) change({unseen: 'masked'});
  if (style.backfaceVisibility === 'hidden' && turnedAway(element)) change({unseen: 'turned away'});
  const placed = style.position;
  if (placed !== 'static' && style.zIndex < 0) change({sunk: true});
  if (placed === 'fixed') change({clip: null, clipAbsolute: null, fixed: true, reach: null});
  else if (placed === 'absolute') inner = inner.clip === inner.clipAbsolute ? inner : {...inner, clip: inner.clipAbsolute};
  if ((placed === 'fixed' || placed === 'absolute') && clipRectEmpty(style.clip)) change({unseen: 'clipped'});
  if (displayOf(element) === 'inline') return inner;
  if (style.contentVisibility === 'hidden') change({unseen: 'clipped'});
  return overflowing(element, inner, style, placed !== 'static');
};
const overflowing = (element, context, style, placed) => {
  const x = style.overflowX;
  if (x === 'visible' && style.overflowY === 'visible' && !/paint|strict|content/.test(style.contain)) {
    return placed && context.clip !== context.clipAbsolute ? {...context, clipAbsolute: context.clip} : context;
  }
  const root = documentElement(document);
  if (element === root || element === bodyOf(document)) return context;
  const rect = rectOf(element);
  let clip = intersect(context.clip, rect);
  let {reach} = context;
  if (/auto|scroll/.test(x + style.overflowY) && !tiny(clip)) {
    clip = null;
    if (scrollWidthOf(element) > clientWidth(element) || scrollHeightOf(element) > clientHeight(element)) reach = reachOf(element, rect, style);
  }
  return {...context, clip, clipAbsolute: placed ? clip : context.clipAbsolute, reach};
};
// The left and top edges of the content of a scroll container. What is beyond
// them cannot be scrolled into view.
const reachOf = (element, rect, style) => {
  const left = scrollLeftOf(element), top = scrollTopOf(element);
  const backwards = style.direction === 'rtl' || left < 0 || /reverse/.test(style.flexDirection);
  return {left: backwards ? -Infinity : rect.left - left, top: top < 0 || /reverse/.test(style.flexDirection) ? -Infinity : rect.top - top};
};
const intersect = (a, b) => a === null ? b
  : {left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom)};
const tiny = rect => rect.right - rect.left < 3 || rect.bottom - rect.top < 3;
const inside = (clip, rect) => rect.left >= clip.left - 1 && rect.right <= clip.right + 1 && rect.top >= clip.top - 1 && rect.bottom <= clip.bottom + 1;

const lengths = (text, size) => text.split(/\s+/).map(part => part.endsWith('%') ? parseFloat(part) / 100 * size : parseFloat(part) || 0);
const clipsAll = (path, element) => {
  const shape = /^(inset|circle|ellipse|polygon|rect|xywh)\((.*)\)/.exec(path);
  if (shape === null) return clipsByShape(path);
  const rect = boundingRect(element), args = shape[2];
  if (shape[1] === 'inset') {
    const [top, right = top, bottom = top, left = right] = args.replace(/ round.*/, '').trim().split(/\s+/);
    return lengths(top, rect.height)[0] + lengths(bottom, rect.height)[0] >= rect.height - 2 || lengths(left, rect.width)[0] + lengths(right, rect.width)[0] >= rect.width - 2;
  }
  if (shape[1] === 'circle' || shape[1] === 'ellipse') return /^0(px|%)?(\s|$)/.test(args.trim()) || roundBeside(args, rect);
  if (shape[1] === 'polygon') return polygonArea(args, rect) < 4;
  return false;
};
// Whether a circle or ellipse that clips a box lies outside of it.
const roundBeside = (args, rect) => {
  const [, radii, x, y] = /^([\d.]+(?:px|%)(?: [\d.]+(?:px|%))?) at (-?[\d.]+(?:px|%)) (-?[\d.]+(?:px|%))$/.exec(args.trim()) ?? [];
  if (radii === undefined) return false;
  const [wide] = lengths(radii, rect.width), high = lengths(radii, rect.height).at(-1), [left] = lengths(x, rect.width), [top] = lengths(y, rect.height);
  return left + wide <= 1 || top + high <= 1 || left - wide >= rect.width - 1 || top - high >= rect.height - 1;
};
// A path of length zero, and an empty SVG clip path, leave nothing visible.
const pathLength = method(SVGGeometryElement.prototype, 'getTotalLength');
const setAttributeOf = method(Element.prototype, 'setAttribute');
const createSVG = method(Document.prototype, 'createElementNS');
const clipsByShape = path => {
  const drawn = /^path\((?:(?:nonzero|evenodd), )?"(.*)"\)$/.exec(path), named = /^url\("#(.+)"\)$/.exec(path);
  if (drawn !== null) {
    const probe = createSVG(document, SVG, 'path');
    setAttributeOf(probe, 'd', drawn[1]);
    return pathLength(probe) < 4;
  }
  const clip = named === null ? null : byId(document, named[1]);
  return clip !== null && localName(clip) === 'clipPath' && firstElement(clip) === null;
};
const polygonArea = (args, rect) => {
  const points = args.replace(/^(nonzero|evenodd),\s*/, '').split(',').map(pair => {
    const [x, y] = pair.trim().split(/\s+/);
    return [lengths(x, rect.width)[0], lengths(y ?? '0', rect.height)[0]];
  });
  return Math.abs(points.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length];
    return sum + x * nextY - nextX * y;
  }, 0)) / 2;
};
const clipRectEmpty = clip => {
  const rect = /^rect\((.*)\)$/.exec(clip ?? '');
  if (rect === null) return false;
  const [top, right, bottom, left] = rect[1].split(/[\s,]+/).map(part => part === 'auto' ? NaN : parseFloat(part));
  return bottom - top <= 2 || right - left <= 2;
};
const masksAll = mask => {
  const colors = mask.match(/rgba?\([^)]*\)/g);
  return /^(linear|radial|conic)-gradient/.test(mask) && colors !== null && colors.every(color => alphaOf(color) < BARELY);
};

// Whether a single mask image that is not repeated lies outside of the element.
const maskMisses = (element, style) => {
  if (style.maskRepeat !== 'no-repeat') return false;
  const {width, height} = boundingRect(element), size = style.maskSize.split(' ');
  const [wide] = lengths(size[0], width), [high] = lengths(size[1] ?? size[0], height);
  if (/^0(px|%)?( |$)/.test(style.maskSize)) return true;
  const place = /^(-?[\d.]+)px (-?[\d.]+)px$/.exec(style.maskPosition);
  if (place === null || !/^[\d.]+(px|%)( [\d.]+(px|%))?$/.test(style.maskSize)) return false;
  return +place[1] + wide <= 1 || +place[2] + high <= 1 || +place[1] >= width - 1 || +place[2] >= height - 1;
};
// Whether 3D transforms turn the back of the element to the viewer.
const turnedAway = element => {
  let turn = turnOf(element);
  for (let at = flatParent(element); at !== null && styleOf(at).transformStyle === 'preserve-3d'; at = flatParent(at)) turn = turnOf(at).multiply(turn);
  return turn.m33 < 0;
};
const turnOf = element => {
  const {transform, rotate} = styleOf(element), matrix = new DOMMatrix(transform === 'none' ? '' : transform);
  const turn = /^(?:(x|y) )?(-?[\d.]+)deg$/.exec(rotate);
  if (turn?.[1] === undefined) return matrix;
  return new DOMMatrix().rotate(turn[1] === 'x' ? +turn[2] : 0, turn[1] === 'y' ? +turn[2] : 0, 0).multiply(matrix);
};

// Whether text directly inside an element is visible: 'yes', 'no', or 'look'
// when the box of the text must be checked.
const textVerdict = element => {
  let verdict = cache.verdicts.get(element);
  if (verdict === undefined) cache.verdicts.set(element, verdict = judgeText(element, styleOf(element), contextOf(element)));
  return verdict;
};
const judgeText = (element, style, context) => {
  if (style.visibility !== 'visible' || context.unseen !== '' || displayOf(element) === 'none') return 'no';
  if (context.clip !== null && tiny(context.clip)) return 'no';
  if (parseFloat(style.fontSize) < 2) return 'no';
  if (namespace(element) === SVG && inStock(element)) return 'no';
  const security = style.webkitTextSecurity;
  if (security && security !== 'none') return 'no';
  const rect = rectOf(element);
  if (displayOf(element) === 'contents' || rect.width < 1 || rect.height < 1) return blends(element, style, null) ? 'no' : 'look';
  if (outside(rect, context)) return displayOf(element) === 'inline' ? 'no' : 'look';
  if (blends(element, style, rect)) return 'no';
  if (context.clip !== null && !inside(context.clip, rect)) return 'look';
  if (replaced.has(localName(element)) || overflowsItself(element, style)) return 'look';
  return Math.abs(parseFloat(style.textIndent)) > 30 || parseFloat(style.letterSpacing) < -2 ? 'look' : 'yes';
};
// Whether an element of an SVG drawing is only defined for use elsewhere and is
// not used.
const inStock = element => {
  const stock = closest(element, 'defs, symbol, clipPath, mask, pattern, marker');
  if (stock === null || tagOf(stock) === '') return false;
  for (let at = element; at !== null; at = at === stock ? null : flatParent(at)) {
    const id = attribute(at, 'id');
    if (id !== null && id !== '' && queryAll(rootOf(at), 'use[href="#' + CSS.escape(id) + '"], use[*|href="#' + CSS.escape(id) + '"]').length > 0) return false;
  }
  return true;
};
// Elements that replace their content when the browser can draw them.
const replaced = new Set(['audio', 'canvas', 'object', 'video']);
const overflowsItself = (element, style) => (style.overflowX !== 'visible' || style.overflowY !== 'visible') &&
  (scrollWidthOf(element) > clientWidth(element) || scrollHeightOf(element) > clientHeight(element));
const outside = (rect, context) => {
  if (context.fixed) return rect.right <= 1 || rect.bottom <= 1 || rect.left >= innerWidth - 1 || rect.top >= innerHeight - 1;
  if (context.reach !== null) return rect.right <= context.reach.left + 1 || rect.bottom <= context.reach.top + 1;
  const {left, top, right, bottom} = extent();
  return rect.right <= left + 1 || rect.bottom <= top + 1 || rect.left >= right - 1 || rect.top >= bottom - 1;
};
// The area that a person can scroll to, in coordinates of the viewport.
const extent = () => {
  if (cache.extent !== undefined) return cache.extent;
  const root = documentElement(document), whole = scrollingElement(document) ?? root, x = scrollX, y = scrollY;
  const locked = [root, bodyOf(document)].some(element => element !== null && /hidden|clip/.test(styleOf(element).overflowX));
  const rightToLeft = styleOf(root).direction === 'rtl' || (bodyOf(document) !== null && styleOf(bodyOf(document)).direction === 'rtl');
  const width = whole.scrollWidth, height = whole.scrollHeight;
  return cache.extent = {
    left: rightToLeft ? innerWidth - width - x : -x,
    right: rightToLeft ? innerWidth - x : locked ? innerWidth : Math.max(width, innerWidth) - x,
    top: -y,
    bottom: Math.max(height, innerHeight) - y + 1,
  };
};
// Needed twice for most texts: for the name of the element around it, and when
// the text is read.
const hiddenText = (node, element) => {
  let hidden = cache.hidden.get(node);
  if (hidden === undefined) cache.hidden.set(node, hidden = undrawn(node, element) || coveredText(node, element));
  return hidden;
};
const undrawn = (node, element) => {
  const verdict = textVerdict(element);
  if (verdict !== 'look') return verdict === 'no';
  const rect = aroundLines(linesOf(node)), context = contextOf(element);
  if (rect.width < 2 || rect.height < 2 || outside(rect, context)) return true;
  return context.clip !== null && tiny(intersect(context.clip, rect));
};
