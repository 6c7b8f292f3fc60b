// What an act sets off, so that it can be waited for, and what comes and goes
// between two reports. What changes without an act is noise to the waiting: it
// is learned in between, and by how often it comes while we wait.
const NOISE_TIMES = 2, NOISE_LIFE = 2000, NOISE_WHILE = 6, LOOKED_AT = 500; // ms; batches and records of mutations
const deed = {own: null, running: false, count: 0, wake: null, noise: new WeakMap(), during: new WeakMap(), moving: new WeakSet()};

const isNews = ({type, target}, now) => {
  if (type === 'attributes' && target === deed.own) return false;
  const known = deed.noise.get(target), recent = known !== undefined && now - known.at < NOISE_LIFE;
  if (!deed.running) {
    deed.noise.set(target, {times: recent ? known.times + 1 : 1, at: now});
    return false;
  }
  if (recent && known.times >= NOISE_TIMES) return false;
  const times = (deed.during.get(target) ?? 0) + 1;
  deed.during.set(target, times);
  return times <= NOISE_WHILE;
};
const heed = changes => {
  noteStirred(changes);
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
const changeWatch = new MutationObserver(heed);
const allChanges = {subtree: true, childList: true, attributes: true, characterData: true};
const heeded = new WeakSet();
// Watches the document from now on, with the shadow roots that are known.
const watchChanges = () => {
  for (const root of [document, ...knownShadows()]) watchRoot(root);
};
const watchRoot = root => {
  if (heeded.has(root)) return;
  heeded.add(root);
  changeWatch.observe(root, allChanges);
};

// Before an act on an element.
const arm = ({node = 0}) => {
  watchChanges();
  heed(changeWatch.takeRecords());
  Object.assign(deed, {own: node ? elementOf(node) : null, running: true, count: 0, during: new WeakMap(), moving: new WeakSet(document.getAnimations())});
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
// listens to one of them; most bounds all of it. Both are ms. With a walk the
// page is read right then.
const calm = async ({late = 0, kinds = null, most = 500, walk = null}) => {
  const until = performance.now() + most, before = deed.count;
  await turns();
  if (deed.count === 0 && late > 0 && (kinds === null || answersTo(deed.own, kinds))) await stirring(late);
  let seen;
  do {
    seen = deed.count;
    await turns();
  } while (deed.count !== seen && performance.now() < until);
  if (deed.count > 0) await appeared(until);
  const came = {stirred: deed.count > 0, busy: deed.count !== seen};
  if (walk === null) return came;
  heed(changeWatch.takeRecords());
  renew();
  const all = {...came, still: deed.count === before, gone: gone(), tree: snapshot(walk)};
  renew();
  return all;
};
// Fading and sliding in takes a while in which what comes is not seen yet.
const SHORT = 1000; // ms; what moves for longer is not waited for
const appearing = /^(opacity|visibility|display|transform|translate|scale|clipPath|width|height|max(Width|Height)|inset.*|left|right|top|bottom|margin.*)$/;
const appears = animation => {
  const {effect} = animation, target = effect?.target;
  if (animation.playState !== 'running' || !isElement(target) || deed.moving.has(animation)) return false;
  if (deed.own !== null && (contains(deed.own, target) || contains(target, deed.own))) return false;
  return effect.getComputedTiming().endTime <= SHORT && effect.getKeyframes().some(frame => Object.keys(frame).some(name => appearing.test(name)));
};
const appeared = async until => {
  const moving = document.getAnimations().slice(0, 100).filter(appears);
  const left = until - performance.now();
  if (moving.length > 0 && left > 0) await Promise.race([Promise.all(moving.map(animation => animation.finished.catch(() => null))), pause(left)]);
};

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
  heed(changeWatch.takeRecords());
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
