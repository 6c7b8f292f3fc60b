// What acting needs beside real input events.
const focusOn = method(HTMLElement.prototype, 'focus');
const focusOnSVG = method(SVGElement.prototype, 'focus');
const selectInput = method(HTMLInputElement.prototype, 'select');
const selectArea = method(HTMLTextAreaElement.prototype, 'select');
const rangeOfInput = method(HTMLInputElement.prototype, 'setSelectionRange');
const rangeOfArea = method(HTMLTextAreaElement.prototype, 'setSelectionRange');
const writeInput = method({set: Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set}, 'set');
const writeArea = method({set: Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set}, 'set');
const writeSelected = method({set: Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected').set}, 'set');
const dispatch = method(EventTarget.prototype, 'dispatchEvent');
const command = method(Document.prototype, 'execCommand');
const announce = (element, ...names) => {
  for (const name of names) dispatch(element, new Event(name, {bubbles: true, composed: name === 'input'}));
};

const focus = ({node, all, clear}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true, ok: false};
  const target = tagOf(element) === 'label' ? labelControl(element) ?? element : element;
  (target instanceof SVGElement ? focusOnSVG : focusOn)(target, {preventScroll: true});
  if (clear) clearText(target);
  else placeCaret(target, all);
  const active = activeElement();
  return {ok: active !== null && inFlat(target, active)};
};
const placeCaret = (element, all) => {
  if (element instanceof HTMLInputElement) {
    if (all) selectInput(element);
    else if (/^(text|search|tel|url|password)$/.test(inputType(element))) rangeOfInput(element, inputValue(element).length, inputValue(element).length);
  } else if (element instanceof HTMLTextAreaElement) {
    if (all) selectArea(element);
    else rangeOfArea(element, areaValue(element).length, areaValue(element).length);
  } else if (element instanceof HTMLElement && editableContent(element)) {
    const selection = getSelection();
    selection.selectAllChildren(element);
    if (!all) selection.collapseToEnd();
  }
};
const clearText = element => {
  if (element instanceof HTMLInputElement) {
    if (inputValue(element) === '') return;
    writeInput(element, '');
  } else if (element instanceof HTMLTextAreaElement) {
    if (areaValue(element) === '') return;
    writeArea(element, '');
  } else if (element instanceof HTMLElement && editableContent(element)) {
    // The browser's own deletion, so that editors see the events they expect.
    getSelection().selectAllChildren(element);
    command(document, 'delete');
    return;
  } else {
    return;
  }
  announce(element, 'input', 'change');
};

// Selecting options, by value or label: all of them or none.
const OPTION_LIMIT = 50;
const choose = ({node, values}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true};
  if (!(element instanceof HTMLSelectElement)) return {error: 'not a select'};
  if (disabled(element)) return {error: 'disabled'};
  if (values.length > 1 && !selectMultiple(element)) return {error: 'single'};
  const options = [...selectOptions(element)], chosen = new Set();
  for (const value of values) {
    const option = optionFor(options, value);
    if (option === undefined) return {error: 'missing', missing: value, options: options.filter(usable).slice(0, OPTION_LIMIT).map(o => clean(optionLabel(o), 200))};
    if (!usable(option)) return {error: 'disabled', missing: value};
    chosen.add(option);
  }
  const changed = options.some(option => optionSelected(option) !== chosen.has(option));
  focusOn(element, {preventScroll: true});
  for (const option of selectMultiple(element) ? options : chosen) writeSelected(option, chosen.has(option));
  if (changed) announce(element, 'input', 'change');
  return {ok: true, selected: [...selectChosen(element)].slice(0, 1000).map(option => clean(optionValue(option), VALUE_LIMIT))};
};
const usable = option => !matches(option, ':disabled');
const optionFor = (options, wanted) => options.find(option => optionValue(option) === wanted) ??
  options.find(option => squeeze(optionLabel(option)) === squeeze(wanted)) ??
  options.find(option => folded(optionLabel(option)) === folded(wanted));

// Scrolling, at once and not smoothly: a person who waits sees the same.
const scroll = ({node, x = 0, y = 0}) => {
  const element = node ? elementOf(node) : null;
  if (node && element === null) return {gone: true, x: 0, y: 0};
  if (element !== null && x === 0 && y === 0) {
    intoView(element, {block: 'center', inline: 'nearest', behavior: 'instant'});
    return scrolledTo(scrollingElement(document) ?? documentElement(document));
  }
  const target = scroller(element, x, y);
  scrollElement(target, {left: x, top: y, behavior: 'instant'});
  return scrolledTo(target);
};
const scrollElement = method(Element.prototype, 'scrollBy');
const scrollLeftOf = getter(Element.prototype, 'scrollLeft');
const scrollTopOf = getter(Element.prototype, 'scrollTop');
const scrollWidthOf = getter(Element.prototype, 'scrollWidth');
const scrollHeightOf = getter(Element.prototype, 'scrollHeight');
// What the wheel would scroll: the element or the nearest around it that can,
// at last the document; without an element, the largest one in the middle of
// the viewport when the document itself cannot scroll.
const scroller = (element, x, y) => {
  const whole = scrollingElement(document) ?? documentElement(document);
  const start = element ?? (canScroll(whole, x, y) ? null : hitAt(innerWidth / 2, innerHeight / 2));
  for (let at = start; at !== null; at = flatParent(at)) {
    if (at !== whole && /auto|scroll/.test(y !== 0 ? styleOf(at).overflowY : styleOf(at).overflowX) && canScroll(at, x, y)) return at;
  }
  return whole;
};
const canScroll = (element, x, y) => (y !== 0 && scrollHeightOf(element) > clientHeight(element) + 1) || (x !== 0 && scrollWidthOf(element) > clientWidth(element) + 1);
const scrolledTo = element => ({
  x: scrollLeftOf(element), y: scrollTopOf(element),
  maxX: Math.max(0, scrollWidthOf(element) - clientWidth(element)), maxY: Math.max(0, scrollHeightOf(element) - clientHeight(element)),
});

// Where the viewport of an iframe lies, and whether its point can be reached.
const offsetWidthOf = getter(HTMLElement.prototype, 'offsetWidth');
const offsetHeightOf = getter(HTMLElement.prototype, 'offsetHeight');
const embedded = ({node, x, y, scroll: bring}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true, x: 0, y: 0};
  let place = framePlace(element, x, y);
  if (bring && !inViewport(place)) {
    intoView(element, {block: 'center', inline: 'center', behavior: 'instant'});
    place = framePlace(element, x, y);
    if (!inViewport(place)) scrollBy({left: place.x - innerWidth / 2, top: place.y - innerHeight / 2, behavior: 'instant'});
    place = framePlace(element, x, y);
  }
  const hit = hitAt(place.x, place.y);
  if (hit !== element) place.by = describe(hit) || 'nothing: the point is outside the viewport';
  return place;
};
const inViewport = ({x, y}) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
const framePlace = (element, x, y) => {
  const rect = boundingRect(element), style = styleOf(element);
  const width = element instanceof HTMLElement ? offsetWidthOf(element) : 0, height = element instanceof HTMLElement ? offsetHeightOf(element) : 0;
  const scaleX = width > 0 ? rect.width / width : 1, scaleY = height > 0 ? rect.height / height : 1;
  const left = rect.left + (clientLeft(element) + parseFloat(style.paddingLeft || 0)) * scaleX;
  const top = rect.top + (clientTop(element) + parseFloat(style.paddingTop || 0)) * scaleY;
  return {x: left + x * scaleX, y: top + y * scaleY, left, top, scaleX, scaleY};
};

// Nodes that the engine hands in.
const adopt = (_, node) => numberOf(node);
const adoptShadow = (_, host, root) => {
  closedRoots.set(host, root);
  watchShadow(root);
  return true;
};
// Elements that may have a closed shadow root and were not asked about:
// custom elements, and plain ones that show more than their own content.
const askedHosts = new WeakSet();
const hostTags = 'article,aside,blockquote,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span';
const closedCandidates = limit => {
  const found = [];
  for (const root of rootsOf(true)) {
    for (const element of queryAll(root, '*')) {
      if (found.length >= limit) return found.map(numberOf);
      if (askedHosts.has(element) || !mayBeClosed(element)) continue;
      askedHosts.add(element);
      found.push(element);
    }
  }
  return found.map(numberOf);
};
const plainHosts = new Set(hostTags.split(','));
const mayBeClosed = element => {
  if (!isHTML(element) || openShadow(element) !== null || closedRoots.has(element)) return false;
  const tag = localName(element);
  if (tag.includes('-')) return true;
  if (!plainHosts.has(tag)) return false;
  return hidesLight(element);
};
// A plain element whose shadow root takes the place of its own children: it
// has a size, and they have no boxes (or there are none and it is not empty
// by its looks).
const hidesLight = element => {
  let any = false;
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    const type = nodeType(node);
    if (type === ELEMENT) {
      if (clientRects(node).length > 0 || styleOf(node).display !== 'none') return false;
      continue;
    }
    if (type !== TEXT || nodeData(node).trim() === '') continue;
    const range = new Range();
    range.selectNode(node);
    if (range.getClientRects().length > 0) return false;
    any = true;
  }
  const rect = boundingRect(element);
  if (rect.width === 0 || rect.height === 0) return false;
  return any || contentHeight(element) > 0;
};
const contentHeight = element => {
  const style = styleOf(element);
  if (style.display === 'flex' || style.display === 'grid') return 0;
  return clientHeight(element) - parseFloat(style.paddingTop || 0) - parseFloat(style.paddingBottom || 0) - (parseFloat(style.minHeight) || 0);
};
