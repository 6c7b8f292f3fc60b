// The painting order. The path of an element lists, from the root, the layers
// in which it is painted: stacking contexts, and boxes that are painted like
// them (positioned, floating, inline blocks, flex and grid items). The first
// difference between two paths decides.
const GROUND = 0, FLOAT = 1, INLINE = 2, PLACED = 3; // the phases of painting at z-index 0
const pathOf = element => {
  const path = [];
  let open = true; // whether boxes that are no real context hold what was met
  for (let at = element; at !== null; at = flatParent(at)) {
    const layer = layerOf(at);
    if (layer === null || !(open || layer.context)) continue;
    path.push(layer);
    if (layer.level === Infinity) break;
    open = layer.phase !== PLACED && layer.level === 0;
  }
  return path.reverse();
};
const layerOf = element => {
  let layer = cache.layers.get(element);
  if (layer === undefined) cache.layers.set(element, layer = findLayer(element));
  return layer;
};
const findLayer = element => {
  const style = styleOf(element), placed = style.position !== 'static';
  if (displayOf(element) === 'contents' || flatParent(element) === null) return null;
  if (placed && matches(element, ':modal, :popover-open, :fullscreen')) return {element, context: true, level: Infinity, phase: PLACED};
  const item = !placed && isItem(element), given = (placed || item) && style.zIndex !== 'auto';
  const level = given ? +style.zIndex : 0, context = given || isContext(style);
  if (placed || given && level !== 0) return {element, context, level, phase: PLACED};
  if (given || context) return {element, context: true, level: 0, phase: PLACED};
  if (style.float !== 'none') return {element, context: false, level: 0, phase: FLOAT};
  if (item || /^inline-(block|flex|grid|table)/.test(displayOf(element))) return {element, context: false, level: 0, phase: INLINE};
  return null;
};
const isItem = element => {
  const parent = flatParent(element);
  return parent !== null && /flex|grid/.test(displayOf(parent));
};
const isContext = style => style.opacity !== '1' || style.transform !== 'none' || style.translate !== 'none' || style.scale !== 'none' || style.rotate !== 'none' ||
  style.filter !== 'none' || style.perspective !== 'none' || style.isolation === 'isolate' || style.mixBlendMode !== 'normal' || style.clipPath !== 'none' ||
  style.maskImage !== 'none' || /^(fixed|sticky)$/.test(style.position) || /paint|layout|strict|content/.test(style.contain) ||
  /transform|opacity|filter|z-index|perspective/.test(style.willChange) || style.containerType !== 'normal' && style.containerType !== undefined || (style.backdropFilter ?? 'none') !== 'none';

// Whether the background of by is painted after the text directly inside
// element.
const paintsOver = (by, element) => {
  const text = pathOf(element), box = pathOf(by), own = box.at(-1)?.element === by;
  let at = 0;
  while (at < text.length && at < box.length && text[at].element === box[at].element) at++;
  if (own && at === box.length) return false; // the text is in it
  const one = text[at] ?? {element, level: 0, phase: INLINE}, two = box[at] ?? {element: by, level: 0, phase: GROUND};
  if (one.level !== two.level) return two.level > one.level;
  if (one.phase !== two.phase && one.level === 0) return two.phase > one.phase;
  return follows(two.element, one.element);
};
// Whether one element follows another in the tree that contains both.
const follows = (later, earlier) => {
  for (let at = later; at !== null; at = hostAround(at)) {
    for (let other = earlier; other !== null; other = hostAround(other)) {
      if (rootOf(at) === rootOf(other)) return at !== other && (position(other, at) & 4) !== 0;
    }
  }
  return false;
};
const hostAround = element => rootOf(element) instanceof ShadowRoot ? hostOf(rootOf(element)) : null;

// Whether the hit test at a point finds the element of the text and not the
// cover.
const hitsText = (by, element, x, y) => {
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || styleOf(by).pointerEvents === 'none') return false;
  const hit = hitAt(x, y);
  return hit !== null && !inFlat(by, hit) && inFlat(element, hit);
};

const coversAt = (found, y) => {
  const band = found.bands.get(Math.floor(y / COVER_BAND));
  return band === undefined ? found.high : found.high.length === 0 ? band : [...band, ...found.high];
};
// Whether a single cover hides the whole rectangle, which is content of
// element: at its current place, or together with all of its scroll container.
// With reachable, covers without pointer events are ignored.
const coveredRect = (rect, element, found, reachable) => {
  const over = box => coversAt(found, (box.top + box.bottom) / 2).some(cover => around(cover, box) && covers(cover, rect, element, found, reachable));
  if (over(rect)) return true;
  if (found.screens.some(cover => covers(cover, rect, element, found, reachable))) return true;
  if (!scrollerMeets(found, element)) return false;
  for (let at = moverOf(element, true); at !== null; at = moverOf(at, false, true)) if (over(rectOf(at))) return true;
  return false;
};
// Whether an element that is not an ancestor lies over a scroll container of
// the element. Computed once for each scroll container.
const scrollerMeets = (found, element) => {
  const {reach} = contextOf(element);
  if (reach === null) return false;
  let known = found.scrollers.get(reach);
  if (known !== undefined) return known;
  known = false;
  for (let at = moverOf(element, true); at !== null && !known; at = moverOf(at, false, true)) {
    const box = rectOf(at);
    known = coversAt(found, (box.top + box.bottom) / 2).some(cover => around(cover, box) && !contains(cover.by, at) && !contains(at, cover.by));
  }
  found.scrollers.set(reach, known);
  return known;
};
const around = (cover, box) => {
  const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
  return cover.left <= x && cover.right >= x && cover.top <= y && cover.bottom >= y;
};
const covers = (cover, rect, element, found, reachable) => {
  const {by} = cover;
  if (by === element && !contextOf(element).sunk) return false;
  if (found.looks-- <= 0) return false;
  if (reachable && (contains(element, by) || styleOf(by).pointerEvents === 'none')) return false;
  if (!contextOf(element).sunk && inFlat(by, element)) return false;
  if (solid(cover) === null || found.checks-- <= 0) return false;
  return staysOver(cover, rect, element) && paintsOver(by, element) &&
    (!inside(cover, rect) || !hitsText(by, element, (rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2));
};
// A cheap test before the expensive ones: whether any element other than an
// ancestor overlaps the box.
const mayBeCovered = (found, element, rect) => {
  if (found.count === 0 || found.checks <= 0 || found.looks <= 0) return false;
  if (rect !== cache.rects.get(element)) return anythingMeets(found, element, rect); // one of its contents
  let known = cache.met.get(element);
  if (known === undefined) cache.met.set(element, known = anythingMeets(found, element, rect));
  return known;
};
const anythingMeets = (found, element, rect) => {
  const context = contextOf(element);
  if (context.sunk || scrollerMeets(found, element) || rect.height > COVER_BAND || rect.height < 1 || rect.width < 1) return true;
  if (found.screens.length > 0 && found.screens.some(({by}) => by !== element && !contains(by, element))) return true;
  if (meets(found.high, element, rect)) return true;
  const first = Math.floor(rect.top / COVER_BAND), last = Math.floor(rect.bottom / COVER_BAND);
  return meets(found.bands.get(first), element, rect) || last !== first && meets(found.bands.get(last), element, rect);
};
const meets = (list, element, rect) => {
  if (list === undefined) return false;
  const {left, top, right, bottom} = rect;
  for (const cover of list) {
    if (cover.left < right && cover.right > left && cover.top < bottom && cover.bottom > top && cover.by !== element && !contains(cover.by, element)) return true;
  }
  return false;
};
// Whether a text that would otherwise be shown is covered, line by line.
const LINES_CHECKED = 64, INK = 0.1; // of a line's height above and below, where hardly a letter reaches
const coveredText = (node, element) => {
  if (cache.covers === undefined) return false;
  const found = knownCovers();
  if (!mayBeCovered(found, element, rectOf(element))) return false;
  const {clip} = contextOf(element);
  let any = false;
  for (const line of linesOf(node).slice(0, LINES_CHECKED)) {
    if (line.width < 1 || line.height < 1) continue;
    const ink = {left: line.left, right: line.right, top: line.top + line.height * INK, bottom: line.bottom - line.height * INK};
    const rect = clip === null ? ink : intersect(clip, ink);
    if (rect.right <= rect.left || rect.bottom <= rect.top) continue;
    if (!coveredRect(rect, element, found, false)) return false;
    any = true;
  }
  return any;
};
// Whether a control is covered. A field stays usable under a cover without
// pointer events, because such covers are used to draw fields.
const coveredControl = element => {
  if (cache.covers === undefined || isCheckable(element)) return false;
  const found = knownCovers(), rect = boxOf(element);
  return mayBeCovered(found, element, rect) && coveredRect(rect, element, found, fieldTags.has(localName(element)));
};
