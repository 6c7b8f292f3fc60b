// Detects text under other opaque elements, by geometry and painting order (CSS
// 2.2 appendix E). This also works outside of the viewport and for covers
// without pointer events. Inside the viewport a hit test can overrule the
// result. In doubt the text is shown. Only the passes that call lookForCovers
// pay for this.
const COVER_SCAN = 100000, COVER_LIMIT = 5000, COVER_LOOKS = 50000, COVER_CHECKS = 2000, COVER_BAND = 128, COVER_KEPT = 2000;
const OPAQUE = 0.98; // a colour with at least this alpha is opaque
const lookForCovers = folds => {
  cache.covers ??= null; // keep what this pass has found already
  cache.folds = folds === true;
};

// The possible covers, by the horizontal bands of the page that they overlap. A
// cover higher than one or two screens is in every band.
const knownCovers = () => {
  if (cache.covers !== null) return cache.covers;
  const found = cache.covers = {bands: new Map(), high: [], screens: [], scrollers: new Map(), count: 0, looks: COVER_LOOKS, checks: COVER_CHECKS};
  const root = documentElement(document);
  if (root !== null) scanForCovers(root, found);
  return found;
};
const elementsIn = method(Document.prototype, 'getElementsByTagName');
const firstElement = getter(Element.prototype, 'firstElementChild');
const firstInFragment = getter(DocumentFragment.prototype, 'firstElementChild');
const nextElement = getter(Element.prototype, 'nextElementSibling');
const scanForCovers = (root, found) => {
  // On a large page with folded runs, the styles of few elements are needed
  // again, so they are not cached.
  const body = bodyOf(document), stack = [root], keeps = !cache.folds || elementsIn(document, '*').length <= COVER_KEPT;
  for (let left = COVER_SCAN; left > 0 && stack.length > 0; left--) {
    const element = stack.pop(), style = getComputedStyle(element), clear = style.backgroundColor === CLEAR && style.backgroundImage === 'none';
    if (keeps || !clear) cache.style.set(element, style);
    if (keeps && clear) cache.grounds.set(element, CLEAR);
    if (!clear && element !== root && element !== body && paintsAll(element, groundOf(element))) keepCover(element, found);
    const shadow = shadowOf(element), first = firstElement(element);
    if (first === null && shadow === null || style.display === 'none') continue;
    for (let child = first; child !== null; child = nextElement(child)) stack.push(child);
    if (shadow !== null) for (let child = firstInFragment(shadow); child !== null; child = nextElement(child)) stack.push(child);
  }
};
const paintsAll = (element, ground) => {
  if (ground !== 'unknown') return isOpaque(ground);
  const style = styleOf(element), image = style.backgroundImage;
  if (isOpaque(style.backgroundColor)) return true;
  if (!/^(repeating-)?(linear|radial|conic)-gradient\([^]*\)$/.test(image) || style.backgroundSize !== 'auto') return false;
  const colors = image.match(/rgba?\([^)]*\)/g);
  return colors !== null && !/transparent|color\(|okl|lab|lch/.test(image) && colors.every(each => alphaOf(each) >= OPAQUE);
};
// Cached, because pages use few colours.
const isOpaque = color => {
  let known = cache.opaque.get(color);
  if (known === undefined) cache.opaque.set(color, known = alphaOf(color) >= OPAQUE);
  return known;
};
const keepCover = (by, found) => {
  if (found.count >= COVER_LIMIT) return;
  const rect = rectOf(by);
  if (rect.width < 4 || rect.height < 4) return;
  found.count++;
  const cover = {by, left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom, judged: undefined};
  if (inside(cover, screen())) found.screens.push(cover);
  if (rect.height > COVER_BAND * 16) return found.high.push(cover);
  for (let band = Math.floor(rect.top / COVER_BAND); band <= rect.bottom / COVER_BAND; band++) {
    const list = found.bands.get(band);
    if (list === undefined) found.bands.set(band, [cover]);
    else list.push(cover);
  }
};
// The part of a cover that is certainly painted: inside the clips of its
// ancestors and without its rounded corners. null when the cover may be
// translucent.
const solid = cover => {
  if (cover.judged !== undefined) return cover.judged;
  const {by} = cover, context = contextOf(by), style = styleOf(by);
  if (style.visibility !== 'visible' || /text|content/.test(style.backgroundClip)) return cover.judged = null;
  if (context.unseen !== '' || context.opacity < OPAQUE || !plainly(by)) return cover.judged = null;
  const radius = Math.max(...lengths(style.borderRadius.replace('/', ' '), Math.max(cover.right - cover.left, cover.bottom - cover.top)));
  const inset = Math.min(radius, (cover.right - cover.left) / 2, (cover.bottom - cover.top) / 2) * 0.29; // 1 - 1/√2 of a quarter circle
  const rect = {left: cover.left + inset, top: cover.top + inset, right: cover.right - inset, bottom: cover.bottom - inset};
  return cover.judged = context.clip === null ? rect : intersect(context.clip, rect);
};
// Whether neither the element nor any ancestor is transformed, clipped or
// blended.
const plainly = element => {
  let known = cache.plain.get(element);
  if (known === undefined) {
    const parent = flatParent(element);
    cache.plain.set(element, known = plain(styleOf(element)) && (parent === null || plainly(parent)));
  }
  return known;
};
const plain = style => {
  if (style.clipPath !== 'none' || style.maskImage !== 'none' || style.filter !== 'none' || style.mixBlendMode !== 'normal' || style.rotate !== 'none') return false;
  const {transform} = style;
  return transform === 'none' || /^matrix\([^,]+, 0, 0, /.test(transform);
};

// The element that determines how an element moves when a person scrolls: the
// nearest scroll container, sticky or fixed element; null for the document.
// With inner, an element's own scrolling counts, as it does for its content.
// With beyond, the search starts at a mover and finds the one that moves it.
const moverOf = (element, inner, beyond = false) => {
  let free = false; // an absolute box does not scroll with an ancestor that is not its containing block
  for (let at = element; at !== null && at !== documentElement(document) && at !== bodyOf(document); at = flatParent(at)) {
    const style = styleOf(at), placed = style.position, own = beyond && at === element;
    if (own && placed === 'fixed') return null;
    if (!free || placed !== 'static' || style.transform !== 'none') {
      if ((at !== element || inner) && /auto|scroll/.test(style.overflowX + style.overflowY) && canScroll(at, 1, 1)) return at;
      free = placed === 'absolute';
    }
    if (placed === 'sticky' && !own) return at;
    if (placed === 'fixed') return documentScrolls() ? at : null;
  }
  return null;
};
// The viewport without its scroll bars.
const screen = () => cache.screen ??= screenNow();
const screenNow = () => {
  const whole = scrollingElement(document) ?? documentElement(document);
  return {left: 0, top: 0, right: clientWidth(whole), bottom: clientHeight(whole)};
};
const documentScrolls = () => {
  const whole = scrollingElement(document) ?? documentElement(document);
  return canScroll(whole, 1, 1);
};
// Whether the cover stays over the text at every scroll position: both move
// together, or the cover hides the whole scroll container of the text.
const staysOver = (cover, rect, element) => {
  const mover = moverOf(cover.by, false), area = solid(cover);
  for (let at = moverOf(element, true), box = rect; ; box = rectOf(at), at = moverOf(at, false, true)) {
    if (at === mover) return inside(area, box);
    if (at === null) return mover !== null && styleOf(mover).position === 'fixed' && inside(area, screen());
    if (/sticky|fixed/.test(styleOf(at).position)) return false;
  }
};
