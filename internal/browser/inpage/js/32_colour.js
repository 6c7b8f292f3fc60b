// Text in the colour of what is behind it.
const NEAR = 14; // sum of the differences of red, green and blue that no eye separates
const CLEAR = 'rgba(0, 0, 0, 0)';
const channels = color => {
  const rgb = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(color);
  return rgb === null ? null : [+rgb[1], +rgb[2], +rgb[3], rgb[4] === undefined ? 1 : +rgb[4]];
};
const alphaOf = color => {
  const rgb = channels(color);
  if (rgb !== null) return rgb[3];
  const alpha = /\/ ([\d.]+)\)$/.exec(color);
  return alpha === null ? 1 : +alpha[1];
};
const near = (a, b) => {
  if (a === b) return true;
  const one = channels(a), two = channels(b);
  if (one === null || two === null) return false;
  return Math.abs(one[0] - two[0]) + Math.abs(one[1] - two[1]) + Math.abs(one[2] - two[2]) < NEAR;
};
const blends = (element, style, rect) => {
  const color = style.webkitTextFillColor || style.color;
  const behind = backdrop(element), pair = color + behind;
  let close = cache.blends.get(pair);
  if (close === undefined) cache.blends.set(pair, close = alphaOf(color) < BARELY ? 'faint' : near(color, behind) ? 'near' : 'no');
  if (close === 'no') return false;
  if (style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0) return false;
  if (close === 'faint') return style.backgroundClip !== 'text' && style.webkitBackgroundClip !== 'text';
  return rect === null || !paintedBehind(element, color, rect);
};
// The colour behind an element by its ancestors; 'unknown' where one has an
// image or lets others shine through.
const backdrop = element => {
  let known = cache.backdrops.get(element);
  if (known !== undefined) return known;
  const color = groundOf(element), alpha = color === CLEAR ? 0 : alphaOf(color);
  if (color === 'unknown') known = 'unknown';
  else if (alpha > 0.95) known = color;
  else if (alpha > BARELY) known = 'unknown';
  else known = flatParent(element) === null ? canvas(element) : backdrop(flatParent(element));
  cache.backdrops.set(element, known);
  return known;
};
// The colour that an element itself paints; 'unknown' where it has an image.
const groundOf = element => {
  let known = cache.grounds.get(element);
  if (known === undefined) {
    const style = styleOf(element);
    cache.grounds.set(element, known = style.backgroundImage === 'none' ? style.backgroundColor : 'unknown');
  }
  return known;
};
// The root shows the body's background when it has none itself.
const canvas = root => {
  const scheme = styleOf(root).colorScheme;
  return /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia('(prefers-color-scheme: dark)').matches) ? 'unknown' : 'rgb(255, 255, 255)';
};
// Whether something that is not an ancestor, as an image that the text lies
// upon, paints another colour there.
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
