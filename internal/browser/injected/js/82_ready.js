// Whether a person could act on the element now, and at which point.
const ready = async query => {
  let answer;
  if (query.watch) arm({node: query.node});
  await until(() => {
    answer = readiness(query);
    return answer.ok || answer.gone || answer.changed || answer.pierce || hopeless.has(answer.wait);
  }, query.wait ?? 0);
  if (query.kind !== 'drop') expected = null;
  if (answer.ok && (acting.has(query.kind) || query.kind === 'select')) noteAct(elementOf(query.node));
  if (answer.ok && query.kind === 'type') noteTyped(elementOf(query.node));
  if (answer.ok) noteActed(elementOf(query.node), query.kind === 'type' || query.kind === 'select' || query.checked);
  if (answer.ok && expectable.has(query.kind)) expect(query);
  if (answer.ok && query.checked) answer.checked = checkedOf(query.node);
  if (answer.ok && query.focus && !(query.kind === 'focus' && answer.focused)) {
    renew();
    answer.took = await focus({...query.focus, node: query.node});
  }
  if (answer.ok && query.kind === 'type' && !answer.took?.gone) Object.assign(answer, {keys: needsKeys(elementOf(query.node)), box: inBoxes(elementOf(query.node))});
  if (answer.ok && query.choose) {
    renew();
    answer.chose = await choose({...query.choose, node: query.node, print: query.print});
  }
  return answer;
};
// Whether a text must be typed into an element key by key: the page listens to keys,
// or the element takes only some characters.
const typedKeys = ['keydown', 'keypress', 'keyup'];
const needsKeys = element => {
  return [element, tagOf(element) === 'label' ? labelControl(element) : null, activeElement()].some(at => at !== null && (hasAttribute(at, 'maxlength') || answersTo(at, typedKeys)));
};
const readiness = query => {
  const element = elementOf(query.node);
  if (element === null) return {gone: true};
  const known = factsOf(element);
  if (query.print && known.print !== query.print) return {changed: true, facts: known};
  const target = pointTarget(element);
  const refusal = unfit(element, target, query.kind);
  if (refusal !== '') return {wait: refusal, facts: known};
  const focused = activeElement() === element;
  if (acting.has(query.kind) && isUnasked(element, query.kind === 'focus')) return {pierce: askAbout(element), facts: known};
  if (query.kind === 'focus') return {ok: true, rect: known.rect, facts: known, focused};
  const before = placeOf(target);
  if (query.rect && (differs(query.rect, before) || (query.at !== undefined && !still(query)))) return moved(query, before, known);
  const point = pointFor(query, target, element);
  if (point.pierce !== undefined) return {pierce: point.pierce, facts: known};
  if (isMoving(target) && !settled(query, target)) return moved(query, placeOf(target), known);
  if (point.by !== undefined && query.kind !== 'type' && query.kind !== 'select' && query.kind !== 'scroll') {
    return {wait: point.by === '' ? 'out of reach' : 'covered', by: point.by, facts: known};
  }
  return {ok: true, reached: point.by === undefined, x: point.x ?? 0, y: point.y ?? 0, rect: plainRect(placeOf(target)), facts: known, focused};
};
const hopeless = new Set(['not a select', 'a frame', 'an option']); // waiting does not change it
const acting = new Set(['click', 'type', 'focus', 'drag', 'drop']);
const pressing = new Set(['click', 'drag', 'drop']); // acts that no control inside the element may receive instead
const pointFor = (query, target, element) => {
  const alone = pressing.has(query.kind);
  if (query.point) return givenPoint(query.point, target, element, alone);
  if (query.offset) return offsetPoint(query.offset, target, element, alone);
  // What draws a checkbox may cover it and not be its label, which a press reaches.
  const point = pointAt(target, element, alone), label = point.by === undefined || !isCheckable(element) ? null : seenLabel(element);
  return label === null || label === target ? point : pointAt(label, element, alone);
};
const framing = new Set(['iframe', 'frame', 'object', 'embed', 'fencedframe']);
// The element to point at: itself, what stands for it, or a descendant that draws
// it and is not a control.
const DRAWN_BY = 12; // descendants that are examined
const pointTarget = element => {
  const shown = drawnAs(element);
  if (shown !== element || pointable(element)) return shown;
  return [...allInElement(element, '*')].slice(0, DRAWN_BY).find(inner => pointable(inner) && innerAt(inner, element, element) === null) ?? element;
};
const unfit = (element, target, kind) => {
  if (!pointable(target)) return isChoice(element) ? 'an option' : 'not visible';
  if (kind !== 'hover' && kind !== 'scroll' && kind !== 'drop' && disabled(activated(element))) return 'disabled';
  if (acting.has(kind) && framing.has(tagOf(element))) return 'a frame';
  if (kind === 'type' && !isEditable(element) && !takesFormat(element)) return 'not editable';
  if (kind === 'select' && tagOf(element) !== 'select') return 'not a select';
  return '';
};

// Whether an element is an option of a select element, which draws no options before it
// is opened.
const isChoice = element => element instanceof HTMLOptionElement && closest(element, 'select') !== null;
// Movement is detected in two ways: an animation or transition of a property
// that moves the element or an ancestor, and a position that changed since the
// last check.
const moves = /transform|translate|rotate|scale|offset|left|right|top|bottom|inset|margin|padding|width|height|font|flex|grid|gap/i;
const notStyle = new Set(['offset', 'computedOffset', 'easing', 'composite']);
const playState = getter(Animation.prototype, 'playState');
const effectOf = getter(Animation.prototype, 'effect');
const movements = element => {
  const found = [];
  for (let at = isArea(element) ? imageOf(element) : element; at !== null; at = flatParent(at)) {
    for (const animation of animations(at)) {
      const effect = effectOf(animation);
      if (playState(animation) !== 'running' || !(effect instanceof KeyframeEffect)) continue;
      if (effect.getKeyframes().some(frame => Object.keys(frame).some(key => !notStyle.has(key) && moves.test(key)))) found.push(effect);
    }
  }
  return found;
};
const isMoving = element => movements(element).length > 0;
const differs = (a, b) => Math.abs(a.x - b.x) > 0.5 || Math.abs(a.y - b.y) > 0.5 || Math.abs(a.width - b.width) > 0.5 || Math.abs(a.height - b.height) > 0.5;
const moved = (query, rect, known) => {
  if (query.at === undefined || differs(query.rect, rect)) {
    query.rect = plainRect(rect);
    query.at = performance.now();
    query.frame = frames;
  }
  return {wait: 'moving', facts: known};
};
// A finite animation is waited for. An endless animation matters only if it
// moves the element. The element must be at the same position for two frames,
// or for some time if nothing is painted.
const STILL_FRAMES = 2, STILL_TIME = 250; // milliseconds
const still = query => query.at !== undefined && (frames - query.frame >= STILL_FRAMES || performance.now() - query.at >= STILL_TIME);
const settled = (query, target) => !movements(target).some(effect => Number.isFinite(effect.getComputedTiming().endTime)) && still(query);

// A point of the element that the hit test reaches. The element is scrolled
// into view if there is none. by is the element that covers it.
const pointAt = (target, element, alone) => {
  let point = visiblePoint(target, element, alone);
  if (point.by === undefined) return point;
  for (const block of ['nearest', 'center', 'end', 'start']) {
    renewPlaces();
    bringIntoView(target, {block, inline: block === 'nearest' ? 'nearest' : 'center', behavior: 'instant'});
    point = visiblePoint(target, element, alone);
    if (point.by === undefined) return point;
  }
  return point;
};
const PRESS_RECTS = 16; // that are examined
const visiblePoint = (target, element, alone) => {
  let by = '';
  const width = innerWidth, height = innerHeight;
  for (const rect of pressRects(target).slice(0, PRESS_RECTS)) {
    const left = Math.max(rect.left, 0), right = Math.min(rect.right, width);
    const top = Math.max(rect.top, 0), bottom = Math.min(rect.bottom, height);
    if (right < left || bottom < top || !hasSize({width: right - left, height: bottom - top}, target, 1)) continue;
    const wide = right - left - 2, high = bottom - top - 2; // points are at least a pixel from the edge
    for (const [dx, dy] of spots) {
      const x = left + (wide > 0 ? 1 + wide * dx : (right - left) * dx), y = top + (high > 0 ? 1 + high * dy : (bottom - top) * dy);
      const hit = hitAt(x, y);
      if (reaches(hit, target, element)) {
        const inner = alone ? innerAt(hit, target, element) : null;
        if (inner === null) return {x, y};
        if (isUnasked(inner)) return {pierce: askAbout(inner)};
        by ||= describe(inner);
        continue;
      }
      by ||= describe(hit);
    }
  }
  if (by === '' && styleOf(target).display === 'contents') return contentsPoint(target, element, alone);
  return {by};
};
const spots = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9],
  [0.5, 0], [0.5, 1], [0, 0.5], [1, 0.5], [0, 0], [1, 0], [0, 1], [1, 1]];
const contentsPoint = (target, element, alone) => {
  const rect = boxOf(target), x = rect.left + rect.width / 2, y = rect.top + rect.height / 2, hit = hitAt(x, y);
  if (!reaches(hit, target, element)) return {by: describe(hit)};
  const inner = alone ? innerAt(hit, target, element) : null;
  if (inner === null) return {x, y};
  return isUnasked(inner) ? {pierce: askAbout(inner)} : {by: describe(inner)};
};
// Another element inside the target that would receive the press: another
// control, a frame, or a possible host of an unknown shadow root.
const innerAt = (hit, target, element) => {
  const meant = activated(element);
  for (let at = hit; at !== null && at !== target && at !== element; at = flatParent(at)) {
    if (at === meant || tagOf(at) === 'label' && labelControl(at) === meant) return null;
    if (isUnasked(at) || actsAlone(at)) return at;
  }
  return null;
};
const actsAlone = element => {
  switch (tagOf(element)) {
    case 'a': case 'area': case 'svg:a': return hasAttribute(element, 'href');
    case 'button': case 'input': case 'select': case 'textarea': return true;
    case 'summary': return isSummary(element);
    case 'label': return labelControl(element) !== null;
  }
  return framing.has(tagOf(element)) || controlRoles.has(given(element)) || hasAttribute(element, 'onclick');
};
// The deepest element at a point, through shadow roots.
const hitAt = (x, y) => {
  let hit = pointInDocument(document, x, y);
  for (let depth = 0; hit !== null && depth < 100; depth++) {
    const shadow = shadowOf(hit);
    const inner = shadow === null ? null : pointInShadow(shadow, x, y);
    if (inner === null || inner === hit) break;
    hit = inner;
  }
  return hit;
};
const reaches = (hit, target, element) => {
  if (hit === null) return false;
  if (inFlat(target, hit) || inFlat(element, hit)) return true;
  for (let at = hit; at !== null; at = flatParent(at)) {
    if (tagOf(at) === 'label' && labelControl(at) === element) return true;
    if (controlTags.has(tagOf(at))) return false;
  }
  return isDragging() && letsThrough(element, hit);
};
const controlTags = new Set(['a', 'button', 'input', 'select', 'textarea']);
// A short description of the covering element, for the fault.
const describe = element => {
  if (element === null) return '';
  let text = localName(element);
  const id = attribute(element, 'id'), name = (attribute(element, 'class') ?? '').trim().split(/\s+/)[0];
  if (id) text += '#' + id;
  else if (name) text += '.' + name;
  const label = squeeze(nameOf(element) || visibleText(element, 200));
  return clean(text, 80) + (label === '' ? '' : ' ' + JSON.stringify(clean(label, 60)));
};
const activeElement = () => {
  let active = activeInDocument(document);
  for (let depth = 0; active !== null && depth < 100; depth++) {
    const shadow = shadowOf(active), inner = shadow === null ? null : activeInShadow(shadow);
    if (inner === null) break;
    active = inner;
  }
  return active;
};
