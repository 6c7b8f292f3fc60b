// Detects text in the colour of its background.
const NEAR = 14; // largest sum of differences of red, green and blue that is invisible
const CLEAR = 'rgba(0, 0, 0, 0)';
const channels = color => {
  const rgb = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(color);
  return rgb === null ? converted(color) : [+rgb[1], +rgb[2], +rgb[3], rgb[4] === undefined ? 1 : +rgb[4]];
};
// Converts colours of other notations, and colours under filters, by letting
// the browser paint them.
const conversions = new Map(), CONVERSIONS = 1000;
let palette;
const converted = (color, filter = 'none') => {
  if (color === '' || color === 'unknown') return null;
  const key = filter + color;
  if (conversions.has(key)) return conversions.get(key);
  palette ??= new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  palette.clearRect(0, 0, 1, 1);
  palette.filter = filter;
  palette.fillStyle = color;
  palette.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = palette.getImageData(0, 0, 1, 1).data;
  if (conversions.size >= CONVERSIONS) conversions.clear();
  conversions.set(key, [red, green, blue, alpha / 255]);
  return conversions.get(key);
};
const alphaOf = color => channels(color)?.[3] ?? 1;
// The result of painting a colour over an opaque one.
const laidUpon = (color, behind) => {
  const [red, green, blue, alpha] = channels(color), under = channels(behind);
  const mixed = [red, green, blue].map((part, i) => Math.round(part * alpha + under[i] * (1 - alpha)));
  return 'rgb(' + mixed.join(', ') + ')';
};
const near = (a, b) => {
  if (a === b) return true;
  const one = channels(a), two = channels(b);
  if (one === null || two === null) return false;
  return Math.abs(one[0] - two[0]) + Math.abs(one[1] - two[1]) + Math.abs(one[2] - two[2]) < NEAR;
};
const blends = (element, style, rect) => {
  const color = namespace(element) === SVG ? inkOf(style) : style.webkitTextFillColor || style.color;
  if (contextOf(element).tinted !== null) return blendsTinted(element, style, color, rect);
  const behind = backdrop(element), pair = color + behind;
  let close = cache.blends.get(pair);
  if (close === undefined) cache.blends.set(pair, close = alphaOf(color) < BARELY ? 'faint' : near(color, behind) ? 'near' : 'no');
  if (close === 'no') return false;
  if (outlined(style, behind)) return false;
  if (close === 'faint') return !filled(element, style);
  return rect === null || !paintedBehind(element, color, rect);
};
// As above, for elements under filters. A filter changes the text, and also the
// background where the background belongs to the filtered element. In doubt the
// text is shown.
const blendsTinted = (element, style, color, rect) => {
  const filters = [];
  let at = element, behind = null;
  for (let {tinted} = contextOf(element); tinted !== null && behind === null; tinted = at === null ? null : contextOf(at).tinted) {
    filters.push(styleOf(tinted).filter);
    const ground = groundWithin(tinted, at, rect);
    if (ground === 'unknown') return false;
    if (ground !== CLEAR) behind = through(filters.slice(-1), ground);
    at = flatParent(tinted);
  }
  behind ??= at === null || at === documentElement(document) ? backdrop(bodyOf(document) ?? element) : backdrop(at);
  const ink = through(filters, color), tint = other => through(filters, other);
  if (alphaOf(ink) < BARELY ? filled(element, style) : !near(ink, behind)) return false;
  return !outlined(style, behind, tint) && (rect === null || ![color, ink].some(each => paintedBehind(element, each, rect)));
};
// The opaque colour behind a text within an element. It is CLEAR if there is
// none, and 'unknown' if the background is translucent, is an image, or does
// not contain the text.
const groundWithin = (tinted, element, rect) => {
  for (let at = element; at !== null; at = flatParent(at)) {
    const ground = ofCanvas(at) ? CLEAR : groundOf(at);
    if (ground !== CLEAR) {
      const holds = scrollWidthOf(at) <= clientWidth(at) && scrollHeightOf(at) <= clientHeight(at) && (rect === null || inside(rectOf(at), rect));
      return holds && ground !== 'unknown' && isOpaque(ground) ? ground : 'unknown';
    }
    if (at === tinted) break;
  }
  return CLEAR;
};
// Whether the background of an element is propagated to the canvas. Filters of
// the element do not change it there.
const ofCanvas = element => element === bodyOf(document) && groundOf(documentElement(document)) === CLEAR;
// Applies filters to a colour, one after the other. Filters that do more than
// change colours are skipped.
const colouring = /^((brightness|contrast|invert|grayscale|saturate|sepia|hue-rotate|opacity)\([^()]*\) ?)+$/;
const through = (filters, color) => {
  for (const filter of filters) {
    const changed = colouring.test(filter) ? converted(color, filter) : null;
    if (changed !== null) color = 'rgba(' + changed.join(', ') + ')';
  }
  return color;
};
// The text colour of an SVG element; 'unknown' for a pattern or a stroke.
const inkOf = ({fill, fillOpacity, stroke}) => {
  if (stroke !== 'none') return 'unknown';
  if (fill === 'none' || fillOpacity < BARELY) return CLEAR;
  return fill.startsWith('url(') ? 'unknown' : fill;
};
// Whether a shadow or stroke makes the text visible although its own colour
// does not.
const outlined = (style, behind, tint = color => color) => {
  const shows = color => alphaOf(color) >= BARELY && !near(tint(color), behind);
  if (parseFloat(style.webkitTextStrokeWidth) > 0 && shows(style.webkitTextStrokeColor)) return true;
  return style.textShadow !== 'none' && (style.textShadow.match(/(?:rgba?|color|oklch|oklab|lab|lch)\([^)]*\)/g) ?? []).some(shows);
};
// Whether the element's background is clipped to its text and differs from what
// is behind it.
const filled = (element, style) => {
  if (style.backgroundClip !== 'text' && style.webkitBackgroundClip !== 'text') return false;
  const parent = flatParent(element);
  return style.backgroundImage !== 'none' || parent === null || !near(style.backgroundColor, backdrop(parent));
};
// The background colour behind an element, from its ancestors; 'unknown' if one
// of them has an image or is translucent.
const backdrop = element => {
  let known = cache.backdrops.get(element);
  if (known !== undefined) return known;
  const color = groundOf(element), alpha = color === CLEAR ? 0 : alphaOf(color);
  if (color === 'unknown') known = 'unknown';
  else if (alpha > 0.95) known = color;
  else {
    known = flatParent(element) === null ? canvas(element) : backdrop(flatParent(element));
    if (alpha > BARELY && known !== 'unknown') known = laidUpon(color, known);
  }
  cache.backdrops.set(element, known);
  return known;
};
// The background colour of the element itself; 'unknown' if it has an image.
const groundOf = element => {
  let known = cache.grounds.get(element);
  if (known === undefined) {
    const style = styleOf(element);
    cache.grounds.set(element, known = style.backgroundImage === 'none' ? style.backgroundColor : onlyColour(style));
  }
  return known;
};
// A gradient with a single colour is that colour.
const onlyColour = style => {
  const image = style.backgroundImage;
  if (!/^(repeating-)?(linear|radial|conic)-gradient\([^]*\)$/.test(image) || style.backgroundSize !== 'auto' || /transparent|color\(|okl|lab|lch/.test(image)) return 'unknown';
  const colors = new Set(image.match(/rgba?\([^)]*\)/g) ?? []), [color] = colors;
  return colors.size === 1 && alphaOf(color) > 0.95 ? color : 'unknown';
};
// The canvas shows the background of the body if the root has none.
const canvas = root => {
  const scheme = styleOf(root).colorScheme;
  return /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia('(prefers-color-scheme: dark)').matches) ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)';
};
// Whether an element that is not an ancestor, such as an image under the text,
// paints another colour there.
const SCAN_LIMIT = 5000;
const paintedBehind = (element, color, rect) => {
  const x = rect.left + rect.width / 2, y = rect.top + rect.height / 2;
  return painted().some(({by, rect, color: other}) => rect.left <= x && rect.right >= x && rect.top <= y && rect.bottom >= y &&
    by !== element && !contains(by, element) && !contains(element, by) && !near(other, color));
};
const painted = () => {
  if (cache.painted !== undefined) return cache.painted;
  cache.painted = [];
  for (const by of [...allInDocument(document, '*')].slice(0, SCAN_LIMIT)) {
    const style = styleOf(by);
    const color = /^(img|video|canvas|svg|picture|iframe)$/.test(localName(by)) || style.backgroundImage !== 'none' ? 'unknown' : style.backgroundColor;
    if ((color !== 'unknown' && alphaOf(color) < 0.2) || style.display === 'none' || style.visibility !== 'visible' || +style.opacity < 0.2) continue;
    const rect = boundingRect(by);
    if (rect.width > 2 && rect.height > 2) cache.painted.push({by, rect, color});
  }
  return cache.painted;
};
