// The areas of image maps. They have no box of their own: a person sees and presses
// the part of the image that their shape covers.
const isArea = element => localName(element) === 'area' && isHTML(element);
const mapNamed = (root, name) => name === '' ? null : queryAll(root, 'map[name="' + CSS.escape(name) + '"]')[0] ?? null;
const areasOf = image => {
  const map = hasAttributes(image) ? mapNamed(rootOf(image), (attribute(image, 'usemap') ?? '').replace(/^#/, '')) : null;
  return map === null ? [] : [...allInElement(map, 'area[href]')].filter(area => imageOf(area) === image);
};
// The first image on the page that uses the map of an area.
const imageOf = area => {
  const map = closest(area, 'map');
  if (map === null) return null;
  let image = cache.images.get(map);
  if (image === undefined) cache.images.set(map, image = imageUsing(map));
  return image;
};
const imageUsing = map => {
  const root = rootOf(map), name = attribute(map, 'name') ?? '';
  return mapNamed(root, name) !== map ? null : [...queryAll(root, 'img[usemap="#' + CSS.escape(name) + '"]')].find(laidOut) ?? null;
};
// Where a point of an area is in the viewport. Chromium counts from the outer edge of
// the image's border.
const onImage = (image, x, y) => {
  const {left, top, width, height} = boundingRect(image), wide = offsetWidthOf(image), high = offsetHeightOf(image);
  return {x: left + x * (wide > 0 ? width / wide : 1), y: top + y * (high > 0 ? height / high : 1)};
};
// The part of the viewport that an area's shape is in: its bounding box, within the
// image.
const areaBox = area => {
  const image = imageOf(area);
  if (image === null) return nowhere;
  const whole = boundingRect(image), points = extremes(area).map(([x, y]) => onImage(image, x, y));
  if (areaShape(area) === 'default') return sized(whole);
  const xs = points.map(({x}) => x), ys = points.map(({y}) => y);
  return sized(intersect(whole, {left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys)}));
};
const sized = ({left, top, right, bottom}) => right <= left || bottom <= top ? nowhere : {left, top, right, bottom, width: right - left, height: bottom - top};
const areaShape = area => {
  const shape = (attribute(area, 'shape') ?? '').toLowerCase();
  return shape === 'default' ? shape : /^circ/.test(shape) ? 'circle' : /^poly/.test(shape) ? 'poly' : 'rect';
};
const AREA_POINTS = 200; // corners of a polygon that are read
const coordsOf = area => (attribute(area, 'coords') ?? '').split(/[\s,;]+/).filter(Boolean).map(parseFloat).filter(Number.isFinite).slice(0, AREA_POINTS * 2);
const extremes = area => {
  const coords = coordsOf(area);
  if (areaShape(area) === 'circle') {
    const [x, y, radius] = coords;
    return radius > 0 ? [[x - radius, y - radius], [x + radius, y + radius]] : [];
  }
  if (areaShape(area) === 'rect') return coords.length < 4 ? [] : [coords.slice(0, 2), coords.slice(2, 4)];
  return coordPairs(coords);
};
const coordPairs = coords => coords.flatMap((x, i) => i % 2 === 0 && i + 1 < coords.length ? [[x, coords[i + 1]]] : []);
// Where to press an element. The middles of the corners of a polygon follow its box,
// because they are in it where the middle of the box is not.
const pressRects = element => isArea(element) ? [areaBox(element), ...cornersOf(element)] : [...clientRects(element)];
const cornersOf = area => {
  const image = imageOf(area), points = image === null || areaShape(area) !== 'poly' ? [] : coordPairs(coordsOf(area));
  return points.map((point, i) => {
    const three = [point, points[(i + 1) % points.length], points[(i + 2) % points.length]];
    const {x, y} = onImage(image, three.reduce((sum, [x]) => sum + x, 0) / 3, three.reduce((sum, [, y]) => sum + y, 0) / 3);
    return {left: x - 2, top: y - 2, right: x + 2, bottom: y + 2};
  });
};
// The box of an element as it is now.
const placeOf = element => isArea(element) ? areaBox(element) : boundingRect(element);
// Scrolls an element into view; of an area, its image and then its shape.
const bringIntoView = (element, options) => {
  const shown = isArea(element) ? imageOf(element) : element;
  if (shown === null) return;
  intoView(shown, options);
  if (shown === element) return;
  const {left, top, width, height} = areaBox(element), x = left + width / 2, y = top + height / 2;
  if (!inViewport({x, y})) scrollBy({left: x - screen().right / 2, top: y - screen().bottom / 2, behavior: 'instant'});
};
