// Changes that an act makes, to wait for them, and texts that come and go between
// two reports. Elements that change without an act are noise: they are noted
// between acts, and by how often they change during one.
const NOISE_TIMES = 2, NOISE_LIFE = 2000, NOISE_WHILE = 6, LOOKED_AT = 500; // ms; batches and records of mutations
const effects = {own: null, running: false, count: 0, wake: null, noise: new WeakMap(), during: new WeakMap(), moving: new WeakSet(), working: new WeakSet(), steps: 0, stepping: new Set(), pictures: new Map(), added: 0, elements: 0, ending: null, later: 0, between: new Map(), read: false, earlier: false};

// Elements that changed since the last reading, with how often: what changed once
// came too late for that report, and what changes again and again is noise.
const BETWEEN = 200;
const changedBetween = () => [...effects.between.values()].some(times => times < NOISE_TIMES);
const isEffect = (change, now) => {
  const {type, target} = change;
  if (type === 'attributes' && target === effects.own) return false;
  if (effects.read && (effects.between.has(target) || effects.between.size < BETWEEN)) effects.between.set(target, (effects.between.get(target) ?? 0) + 1);
  const known = effects.noise.get(target), recent = known !== undefined && now - known.at < NOISE_LIFE;
  if (!effects.running) {
    effects.noise.set(target, {times: recent ? known.times + 1 : 1, at: now});
    return false;
  }
  if (recent && known.times >= NOISE_TIMES) return false;
  const {times, first} = effects.during.get(target) ?? {times: 0, first: now};
  effects.during.set(target, {times: times + 1, first});
  if (isMotion(change) || times >= 2 && now - first >= APART) {
    effects.steps++;
    effects.stepping.add(target);
  }
  return times < NOISE_WHILE;
};
// A script may move an element in steps, with each frame or by a timer. A change
// of its place, size or opacity is a step; of other changes the third one is.
const STEP = 60, APART = 4, MOVE_LIMIT = 1000; // ms
const isMotion = ({type, target, attributeName}) => type === 'attributes' && attributeName === 'style' &&
  motionProperties.some(name => inlineStyle(target).getPropertyValue(name) !== '');
const motionProperties = ['height', 'width', 'max-height', 'max-width', 'opacity', 'transform', 'translate', 'scale', 'top', 'left', 'right', 'bottom', 'inset', 'margin-top', 'margin-left', 'clip-path'];
const inlineStyle = element => element instanceof SVGElement ? svgStyle(element) : element instanceof HTMLElement ? htmlStyle(element) : noStyle;
const htmlStyle = getter(HTMLElement.prototype, 'style'), svgStyle = getter(SVGElement.prototype, 'style');
const noStyle = {getPropertyValue: () => ''};
const onChanges = changes => {
  noteChanged(changes);
  const now = performance.now(), targets = new Set();
  let news = changes.length > LOOKED_AT && effects.running;
  effects.elements += Math.max(0, changes.length - LOOKED_AT);
  for (const change of changes.slice(0, LOOKED_AT)) {
    if (change.type === 'childList') for (const node of change.addedNodes) {
      noteLive(node, change.target);
      if (isElement(node)) effects.elements++;
    }
    else if (change.type === 'characterData') noteLive(change.target, parentNode(change.target));
    if (targets.has(change.target)) continue;
    if (isEffect(change, now)) {
      news = true;
      if (change.type === 'childList' && [...change.addedNodes].some(node => squeeze(textContent(node) ?? '') !== '')) effects.added++;
    }
    if (change.target !== effects.own) targets.add(change.target);
  }
  if (!news) return;
  effects.count++;
  effects.wake?.();
};
const changeWatch = new MutationObserver(onChanges);
const allChanges = {subtree: true, childList: true, attributes: true, characterData: true};
const observedRoots = new WeakSet();
// Watches the document and the known shadow roots from now on.
const watchChanges = () => {
  for (const root of [document, ...knownShadows()]) watchRoot(root);
};
const watchRoot = root => {
  if (observedRoots.has(root)) return;
  observedRoots.add(root);
  changeWatch.observe(root, allChanges);
};

// Begins to watch, before an act on an element.
const arm = ({node = 0}) => {
  cancel(effects.ending);
  effects.ending = null;
  watchChanges();
  onChanges(changeWatch.takeRecords());
  Object.assign(effects, {own: node ? elementOf(node) : null, running: true, count: 0, during: new WeakMap(), moving: new WeakSet(document.getAnimations()), steps: 0, stepping: new Set(), pictures: pictures(), working: new WeakSet(queryAll(document, waiting)), added: 0, later: askedForLater(), earlier: effects.read && changedBetween(), between: new Map(), read: false});
};

const pause = limit => new Promise(done => after(done, limit));
const turn = () => new Promise(done => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(); };
  port2.postMessage(0);
});
// Waits for the tasks that are queued, and those that they queue.
const turns = async () => {
  await pause(0);
  await turn();
};
const nextChange = limit => new Promise(done => {
  const end = () => {
    cancel(timer);
    if (effects.wake === end) effects.wake = null;
    done();
  };
  const timer = after(end, limit);
  effects.wake = end;
});
// Waits until the act's changes have ended. If there is none yet, it waits for the
// first up to late ms; with kinds, only if the page listens to one of them and has
// asked for a timer or frame since the act began. A field that suggests something is
// waited for up to suggests ms. most bounds the wait for the end in ms, except for
// motion in steps. With a walk it then reads the page. A fresh document has just
// loaded.
const waitStable = async ({late = 0, kinds = null, suggests = 0, most = 500, walk = null, fresh = false, same = false}) => {
  const began = performance.now(), before = effects.count;
  cancel(effects.ending);
  if (effects.ending !== null) effects.running = true;
  effects.read = false;
  await turns();
  if (fresh) await waitFirst(late, before, same);
  else if (late > 0 && (kinds === null || answersTo(effects.own, kinds))) await waitLate(late, kinds !== null, suggests);
  const until = performance.now() + most;
  let seen;
  do {
    seen = effects.count;
    await turns();
  } while (effects.count !== seen && performance.now() < until);
  const overran = effects.count !== seen, moving = await waitMotion(began + MOVE_LIMIT);
  const came = {earlier: effects.earlier, elements: effects.elements, changed: effects.count > 0, busy: overran || moving || effects.count > 0 && works(), unfinished: fresh && isUnfinished(), drawn: redrawn()};
  if (walk === null || came.unfinished) return came;
  onChanges(changeWatch.takeRecords());
  renew();
  const all = {...came, still: effects.count === before, gone: gone(), tree: snapshot(walk)};
  renew();
  Object.assign(effects, {between: new Map(), read: true, earlier: false});
  effects.ending = after(() => { effects.running = false; }, WATCHED_ON);
  return all;
};
const WATCHED_ON = 50; // ms after a reading: the caller may wait for requests, and then for what the page does with the answers
// Waits for the first change of a fresh document, if its scripts have asked for timers
// or frames: at most until the page has nothing left to do. The same document draws
// another part of it when the browser has told its scripts of the new address.
const waitFirst = async (late, before, same) => {
  if (effects.count !== before) return;
  if (late > 0) await nextChange(late);
  else if (same && hasScripts()) await nextChange(FRESH);
  else if (hasScripts() && askedForLater() > 0) await Promise.race([nextChange(FRESH), nothingDue(performance.now() + FRESH)]);
};
// Waits for the first effect of an act that the page listens to. If it has asked for
// no timer and no frame since the act began, only its tasks that are queued can cause
// one: those run before a task in the background.
const waitLate = async (late, knows, suggests) => {
  const due = !knows || askedForLater() > effects.later;
  if (due && suggests > 0 && isSuggesting(effects.own)) return waitSuggestions(suggests);
  if (effects.count === 0) await (due ? nextChange(late) : Promise.race([nextChange(late), scheduler.postTask(() => {}, {priority: 'background'})]));
};
// Waits until a field that suggests something has shown suggestions: texts that are
// added. A field that has shown none in that time is not waited for again.
const fruitless = new WeakSet();
const waitSuggestions = async late => {
  const {own} = effects, until = performance.now() + late;
  if (fruitless.has(own)) return;
  for (let left; effects.added === 0 && (left = until - performance.now()) > 0;) await nextChange(left);
  if (effects.added === 0) fruitless.add(own);
};
// Whether a page usually shows suggestions for the text of a field. Names are those
// in the page's language; the words are English, German, French, Spanish, Italian,
// Portuguese and Dutch ones for searching, filtering and finding.
const suggestingRoles = new Set(['combobox', 'searchbox']);
const suggestingWords = /search|find|filter|look ?up|query|suggest|autocomplete|suche|finden|recherch|chercher|buscar|busca|cerca|pesquis|zoek/i;
const isSuggesting = element => {
  if (element === null) return false;
  const field = isEditable(element) ? element : activeElement() ?? element;
  if (suggestingRoles.has(roleOf(field)) || hasAttribute(field, 'list') || attribute(field, 'aria-haspopup') === 'listbox') return true;
  if (/^(list|both|inline)$/.test(attribute(field, 'aria-autocomplete') ?? '') || closest(field, '[role=search i],search') !== null) return true;
  return ['name', 'id', 'placeholder'].some(name => suggestingWords.test(attribute(field, name) ?? '')) || suggestingWords.test(nameOf(field));
};
const FRESH = 35; // ms: many scripts begin shortly after the load
// Resolves when the page runs no task, and no timer is due before the time: an idle
// period ends when the next timer is due, also one of the browser's own.
const nothingDue = async until => {
  for (let left; (left = until - performance.now()) > 0;) {
    const free = await new Promise(done => requestIdleCallback(deadline => done(deadline.didTimeout ? 0 : deadline.timeRemaining()), {timeout: 2 * FRESH}));
    if (free >= until - performance.now()) return;
    await pause(Math.min(left, Math.max(1, free)));
  }
};
// While an element fades or slides in, it cannot be seen yet.
const SHORT = 1000; // ms; what moves for longer is not waited for
const appearing = /^(opacity|visibility|display|transform|translate|scale|clipPath|width|height|max(Width|Height)|inset.*|left|right|top|bottom|margin.*)$/;
const appears = animation => displaces(animation) && animation.effect.getComputedTiming().endTime <= SHORT;
const displaces = animation => {
  const {effect} = animation, target = effect?.target;
  if (animation.playState !== 'running' || !isElement(target) || effects.moving.has(animation)) return false;
  if (effects.own !== null && (contains(effects.own, target) || contains(target, effects.own)) && !vanishes(effect)) return false;
  return effect.getKeyframes().some(frame => Object.keys(frame).some(name => appearing.test(name)));
};
// Whether an element fades out: a dialog that its own button closes.
const vanishes = effect => {
  const end = effect.getKeyframes().at(-1);
  return end !== undefined && (end.opacity === '0' || end.visibility === 'hidden' || end.display === 'none');
};
// Waits until motion has ended, and reports whether some has not.
const waitMotion = async until => {
  let steps = 0, cut = false; // the time ended within a step
  for (let last = -1; last !== effects.count && performance.now() < until;) {
    last = effects.count;
    const running = document.getAnimations().slice(0, 100).filter(appears), left = until - performance.now();
    if (running.length > 0) await Promise.race([Promise.all(running.map(animation => animation.finished.catch(() => null))), pause(left)]);
    while (effects.steps !== steps && performance.now() < until) {
      steps = effects.steps;
      await stepEnds(until);
      cut = performance.now() >= until;
    }
  }
  if (cut) for (const target of effects.stepping) effects.noise.set(target, {times: NOISE_TIMES, at: performance.now()}); // the next act does not wait for endless motion
  return cut || document.getAnimations().slice(0, 100).some(displaces);
};
// Waits for the time of a step and for two frames, which take longer on a busy
// machine.
const stepEnds = async until => {
  await pause(Math.min(STEP, until - performance.now()));
  const frames = new Promise(done => beforeFrame(() => beforeFrame(done)));
  await Promise.race([frames, pause(Math.min(FRAMES, until - performance.now()))]);
};
const FRAMES = 300; // ms, if nothing is drawn

// Whether the page listens to one of some kinds of events at an element, around it or
// at the window.
const WAY = 64;
const answersTo = (element, kinds) => {
  if (element !== null && kinds.some(kind => windowListening.has(kind))) return true;
  let at = element;
  for (let i = 0; at !== null && i < WAY; i++) {
    const known = listening.get(at);
    if (known !== undefined && kinds.some(kind => known.has(kind))) return true;
    at = parentNode(at) ?? (at instanceof ShadowRoot ? hostOf(at) : null);
  }
  return false;
};

// Texts of live regions as they were shown, which may be gone by the next report.
const live = '[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output';
const LIVE_MOST = 10, LIVE_TEXTS = 4, LIVE_LENGTH = 200;
const liveTexts = new Map(); // by region
let framed = false;
const noteLive = (node, parent) => {
  const element = isElement(node) ? node : parent;
  if (!isElement(element)) return;
  const region = closest(element, live) ?? oneInElement(element, live);
  if (region === null || (!liveTexts.has(region) && liveTexts.size >= LIVE_MOST)) return;
  if (!liveTexts.has(region)) liveTexts.set(region, new Set());
  if (framed) return;
  framed = true;
  beforeFrame(readLive);
};
const readLive = () => {
  framed = false;
  renew();
  for (const [region, words] of liveTexts) {
    if (words.size >= LIVE_TEXTS || !isConnected(region)) continue;
    const now = textOfRegion(region);
    if (now !== '') words.add(now);
  }
  renew();
};
const textOfRegion = region => {
  const {nodes} = snapshot({root: numberOf(region), noUrls: true, depth: 20}), words = [];
  const collect = all => {
    for (const {t, n, c} of all) {
      if (t !== undefined || n !== undefined) words.push(t ?? n);
      if (c !== undefined) collect(c);
    }
  };
  collect(nodes);
  return clean(words.join(' '), LIVE_LENGTH);
};
// Ends the watch and returns the texts that came and are gone.
const endWatch = () => {
  effects.running = false;
  onChanges(changeWatch.takeRecords());
  return {gone: gone()};
};
const gone = () => {
  const all = [];
  for (const [region, said] of liveTexts) {
    const now = isConnected(region) ? textOfRegion(region) : '';
    for (const words of said) if (!now.includes(words)) all.push({role: attribute(region, 'role') === 'alert' ? 'alert' : 'status', text: words});
  }
  liveTexts.clear();
  return all.slice(0, LIVE_MOST);
};
