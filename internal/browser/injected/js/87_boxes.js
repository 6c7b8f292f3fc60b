// The visible boxes of elements: clipped by scroll containers and other clips,
// and in a frame by its viewport.
const boxes = ({nodes, embedded: inner, uncovered}) => {
  const found = [];
  for (const node of nodes) {
    const element = elementOf(node);
    if (element === null) continue;
    const target = drawnAs(element), box = exposed(target, inner);
    if (box === null || uncovered && hiddenByOther(box, target, element)) continue;
    found.push({node, x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, cut: !inside(box, boxOf(target))});
  }
  return found;
};
const exposed = (element, inner) => {
  let box = edges(boxOf(element)), placed = styleOf(element).position;
  for (let at = flatParent(isArea(element) ? imageOf(element) ?? element : element); at !== null; at = flatParent(at)) {
    const style = styleOf(at), holds = style.transform !== 'none' || style.position !== 'static' && placed !== 'fixed';
    if (placed === 'fixed' && !holds || placed === 'absolute' && !holds) continue;
    placed = style.position;
    if (clipsContent(at, style)) box = intersect(box, contentEdges(at));
  }
  if (inner) box = intersect(box, screen());
  return box.right - box.left < 1 || box.bottom - box.top < 1 ? null : box;
};
const clipsContent = (element, style) => element !== documentElement(document) && element !== bodyOf(document) && style.display !== 'inline' && style.display !== 'contents'
  && (style.overflowX !== 'visible' || style.overflowY !== 'visible');
const edges = rect => ({left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom});
// The box inside the borders and scroll bars.
const contentEdges = element => {
  const rect = rectOf(element), width = element instanceof HTMLElement ? offsetWidthOf(element) : 0, height = element instanceof HTMLElement ? offsetHeightOf(element) : 0;
  if (width === 0 || height === 0) return edges(rect);
  const scaleX = rect.width / width, scaleY = rect.height / height;
  const left = rect.left + clientLeft(element) * scaleX, top = rect.top + clientTop(element) * scaleY;
  return {left, top, right: left + clientWidth(element) * scaleX, bottom: top + clientHeight(element) * scaleY};
};
// Whether another element covers the middle of a box. This can be found out
// only inside the viewport.
const hiddenByOther = (box, target, element) => {
  const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth), top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
  if (right - left < 1 || bottom - top < 1) return false;
  return !middles.some(([dx, dy]) => reaches(hitAt(left + (right - left) * dx, top + (bottom - top) * dy), target, element));
};
const middles = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5]];
