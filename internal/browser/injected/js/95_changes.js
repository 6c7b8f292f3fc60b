// What an act sets off, so that it can be waited for, and what comes and goes
// between two reports. What changes without an act is noise to the waiting: it
// is learned in between, and by how often it comes while we wait.
const NOISE_TIMES = 2, NOISE_LIFE = 2000, NOISE_WHILE = 6, LOOKED_AT = 500; // ms; batches and records of mutations
const deed = {own: null, running: false, count: 0, wake: null, noise: new WeakMap(), during: new WeakMap(), moving: new WeakSet(), steps: 0, stepping: new Set(), pictures: new Map()};

const isNews = (change, now) => {
  const {type, target} = change;
  if (type === 'attributes' && target === deed.own) return false;
  const known = deed.noise.get(target), recent = known !== undefined && now - known.at < NOISE_LIFE;
  if (!deed.running) {
    deed.noise.set(target, {times: recent ? known.times + 1 : 1, at: now});
    return false;
  }
  if (recent && known.times >= NOISE_TIMES) return false;
  const {times, first} = deed.during.get(target) ?? {times: 0, first: now};
  deed.during.set(target, {times: times + 1, first});
  if (slidesBy(change) || times >= 2 && now - first >= APART) {
    deed.steps++;
    deed.stepping.add(target);
  }
  return times < NOISE_WHILE;
};
// A script that slides something open changes it step by step, with each frame
// or by a timer. The first step sets a place, a size or an opacity; of other
// changes the third one tells.
const STEP = 60, APART = 4, MOVE_LIMIT = 1000; // ms
const slidesBy = ({type, target, attributeName}) => type === 'attributes' && attributeName === 'style' &&
  sliding.some(name => inlineStyle(target).getPropertyValue(name) !== '');
const sliding = ['height', 'width', 'max-height', 'max-width', 'opacity', 'transform', 'translate', 'scale', 'top', 'left', 'right', 'bottom', 'inset', 'margin-top', 'margin-left', 'clip-path'];
const inlineStyle = element => element instanceof SVGElement ? svgStyle(element) : element instanceof HTMLElement ? htmlStyle(element) : noStyle;
const htmlStyle = getter(HTMLElement.prototype, 'style'), svgStyle = getter(SVGElement.prototype, 'style');
const noStyle = {getPropertyValue: () => ''};
const onChanges = changes => {
  noteChanged(changes);
  const now = performance.now(), targets = new Set();
  let news = changes.length > LOOKED_AT && deed.running;
  for (const change of changes.slice(0, LOOKED_AT)) {
    if (change.type === 'childList') for (const node of change.addedNodes) notePassing(node, change.target);
    else if (change.type === 'characterData') notePassing(change.target, parentNode(change.target));
    if (targets.has(change.target)) continue;
    if (isNews(change, now)) news = true;
    if (change.target !== deed.own) targets.add(change.target);
  }
  if (!news) return;
  deed.count++;
  deed.wake?.();
};
const changeWatch = new MutationObserver(onChanges);
const allChanges = {subtree: true, childList: true, attributes: true, characterData: true};
const observedRoots = new WeakSet();
// Watches the document from now on, with the shadow roots that are known.
const watchChanges = () => {
  for (const root of [document, ...knownShadows()]) watchRoot(root);
};
const watchRoot = root => {
  if (observedRoots.has(root)) return;
  observedRoots.add(root);
  changeWatch.observe(root, allChanges);
};

// Before an act on an element.
const arm = ({node = 0}) => {
  watchChanges();
  onChanges(changeWatch.takeRecords());
  Object.assign(deed, {own: node ? elementOf(node) : null, running: true, count: 0, during: new WeakMap(), moving: new WeakSet(document.getAnimations()), steps: 0, stepping: new Set(), pictures: pictures()});
};

const pause = limit => new Promise(done => setTimeout(done, limit));
const turn = () => new Promise(done => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(); };
  port2.postMessage(0);
});
// Whatever waits to run now has run then, and what that put behind it.
const turns = async () => {
  await pause(0);
  await turn();
};
const stirring = limit => new Promise(done => {
  const end = () => { clearTimeout(timer); deed.wake = null; done(); };
  const timer = setTimeout(end, limit);
  deed.wake = end;
});
// Waits until what the act changes has changed. Where nothing has yet, its
// beginning is waited for up to late, if kinds are given only where the page
// listens to one of them; most bounds all of it but what moves step by step.
// Both are ms. With a walk the page is read right then. A fresh document is one
// that has just loaded.
const calm = async ({late = 0, kinds = null, most = 500, walk = null, fresh = false}) => {
  const began = performance.now(), until = began + most, before = deed.count;
  await turns();
  if (fresh) await begins(late, before);
  else if (deed.count === 0 && late > 0 && (kinds === null || answersTo(deed.own, kinds))) await stirring(late);
  let seen;
  do {
    seen = deed.count;
    await turns();
  } while (deed.count !== seen && performance.now() < until);
  const overran = deed.count !== seen, moving = await comesToRest(began + MOVE_LIMIT);
  const came = {stirred: deed.count > 0, busy: overran || moving, unfinished: fresh && isUnfinished(), drawn: redrawn()};
  if (walk === null) return came;
  onChanges(changeWatch.takeRecords());
  renew();
  const all = {...came, still: deed.count === before, gone: gone(), tree: snapshot(walk)};
  renew();
  return all;
};
// Waits for the first change of a fresh document, where a script could make one.
const begins = async (late, before) => {
  const limit = late > 0 ? late : hasScripts() ? FRESH : 0;
  if (limit > 0 && deed.count === before) await stirring(limit);
};
const FRESH = 35; // ms: many a script begins a moment after the load
// Fading and sliding in takes a while in which what comes is not seen yet.
const SHORT = 1000; // ms; what moves for longer is not waited for
const appearing = /^(opacity|visibility|display|transform|translate|scale|clipPath|width|height|max(Width|Height)|inset.*|left|right|top|bottom|margin.*)$/;
const appears = animation => displaces(animation) && animation.effect.getComputedTiming().endTime <= SHORT;
const displaces = animation => {
  const {effect} = animation, target = effect?.target;
  if (animation.playState !== 'running' || !isElement(target) || deed.moving.has(animation)) return false;
  if (deed.own !== null && (contains(deed.own, target) || contains(target, deed.own))) return false;
  return effect.getKeyframes().some(frame => Object.keys(frame).some(name => appearing.test(name)));
};
// Waits for what moves, and reports whether something still does.
const comesToRest = async until => {
  let steps = 0, cut = false; // whether the time was over within a step
  for (let last = -1; last !== deed.count && performance.now() < until;) {
    last = deed.count;
    const running = document.getAnimations().slice(0, 100).filter(appears), left = until - performance.now();
    if (running.length > 0) await Promise.race([Promise.all(running.map(animation => animation.finished.catch(() => null))), pause(left)]);
    while (deed.steps !== steps && performance.now() < until) {
      steps = deed.steps;
      await stepEnds(until);
      cut = performance.now() >= until;
    }
  }
  if (cut) for (const target of deed.stepping) deed.noise.set(target, {times: NOISE_TIMES, at: performance.now()}); // the next act does not wait for what does not end
  return cut || document.getAnimations().slice(0, 100).some(displaces);
};
// The time of a step has passed, and two frames are drawn: on a busy machine
// each takes longer than that.
const stepEnds = async until => {
  await pause(Math.min(STEP, until - performance.now()));
  const frames = new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await Promise.race([frames, pause(Math.min(FRAMES, until - performance.now()))]);
};
const FRAMES = 300; // ms, where nothing is drawn

// Whether the page listens to one of some kinds of events where they reach an
// element. What listens at the window is not known.
const WAY = 64;
const answersTo = (element, kinds) => {
  let at = element;
  for (let i = 0; at !== null && i < WAY; i++) {
    const known = listening.get(at);
    if (known !== undefined && kinds.some(kind => known.has(kind))) return true;
    at = parentNode(at) ?? (at instanceof ShadowRoot ? hostOf(at) : null);
  }
  return false;
};

// What announces itself and may be gone by the next report: words of live
// regions, as they were seen.
const live = '[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output';
const PASSING = 10, PASSING_WORDS = 4, PASSING_LENGTH = 200;
const passing = new Map(); // regions to their words
let framed = false;
const notePassing = (node, parent) => {
  const element = isElement(node) ? node : parent;
  if (!isElement(element)) return;
  const region = closest(element, live) ?? oneInElement(element, live);
  if (region === null || (!passing.has(region) && passing.size >= PASSING)) return;
  if (!passing.has(region)) passing.set(region, new Set());
  if (framed) return;
  framed = true;
  requestAnimationFrame(readPassing);
};
const readPassing = () => {
  framed = false;
  renew();
  for (const [region, words] of passing) {
    if (words.size >= PASSING_WORDS || !isConnected(region)) continue;
    const now = wordsIn(region);
    if (now !== '') words.add(now);
  }
  renew();
};
const wordsIn = region => {
  const {nodes} = snapshot({root: numberOf(region), noUrls: true, depth: 20}), words = [];
  const collect = all => {
    for (const {t, n, c} of all) {
      if (t !== undefined || n !== undefined) words.push(t ?? n);
      if (c !== undefined) collect(c);
    }
  };
  collect(nodes);
  return clean(words.join(' '), PASSING_LENGTH);
};
// Ends the wait for an act and tells what came and is gone.
const passed = () => {
  deed.running = false;
  onChanges(changeWatch.takeRecords());
  return {gone: gone()};
};
const gone = () => {
  const all = [];
  for (const [region, said] of passing) {
    const now = isConnected(region) ? wordsIn(region) : '';
    for (const words of said) if (!now.includes(words)) all.push({role: attribute(region, 'role') === 'alert' ? 'alert' : 'status', text: words});
  }
  passing.clear();
  return all.slice(0, PASSING);
};
