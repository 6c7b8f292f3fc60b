// The position of the viewport of an iframe, and whether a point of it can be
// reached.
const offsetWidthOf = getter(HTMLElement.prototype, 'offsetWidth');
const offsetHeightOf = getter(HTMLElement.prototype, 'offsetHeight');
const embedded = ({node, x, y, scroll: bring}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true, x: 0, y: 0};
  let place = framePlace(element, x, y);
  if (bring && !inViewport(place)) {
    intoView(element, {block: 'center', inline: 'center', behavior: 'instant'});
    place = framePlace(element, x, y);
    if (!inViewport(place)) scrollBy({left: place.x - screen().right / 2, top: place.y - screen().bottom / 2, behavior: 'instant'});
    place = framePlace(element, x, y);
  }
  const hit = hitAt(place.x, place.y);
  if (hit !== element) place.by = describe(hit) || 'nothing: the point is outside the viewport';
  return place;
};
// Points under a scroll bar are excluded too.
const inViewport = ({x, y}) => x >= 0 && y >= 0 && x < screen().right && y < screen().bottom;
const framePlace = (element, x, y) => {
  const rect = boundingRect(element), style = styleOf(element);
  const width = element instanceof HTMLElement ? offsetWidthOf(element) : 0, height = element instanceof HTMLElement ? offsetHeightOf(element) : 0;
  const scaleX = width > 0 ? rect.width / width : 1, scaleY = height > 0 ? rect.height / height : 1;
  const left = rect.left + (clientLeft(element) + parseFloat(style.paddingLeft || 0)) * scaleX;
  const top = rect.top + (clientTop(element) + parseFloat(style.paddingTop || 0)) * scaleY;
  return {x: left + x * scaleX, y: top + y * scaleY, left, top, scaleX, scaleY};
};
