// The input that an act sends to this frame, and its element. Other input is for
// another frame or element. It is stopped before the browser acts on it, and before
// scripts of the page get it, unless they listened to the window before us.
let expected = null;
let admitsAll = false; // while clients of the protocol send input of their own
let refusedAt = null; // when input was last refused here
const EXPECTED_LIFE = 300000; // milliseconds since the act began, or since its last event
const keyKinds = new Set(['type', 'focus']), dragging = new Set(['drag', 'drop']);
const expect = query => {
  const act = {kind: query.kind, node: query.node, print: query.print ?? '', since: performance.now(), refused: '', presses: 0, keys: 0, typed: 0, withheld: false, drop: null, boxes: [], all: query.focus?.all === true};
  if (query.kind === 'drop') {
    if (actNow() === null || !dragging.has(expected.kind)) expected = act;
    expected.drop = {node: act.node, print: act.print};
    return;
  }
  expected = act;
  watchRootsOf(elementOf(query.node));
};
const expectable = new Set(['click', 'drag', 'drop', 'type', 'focus']);
const actNow = () => expected !== null && performance.now() - expected.since <= EXPECTED_LIFE ? expected : null;
const stop = event => {
  event.stopImmediatePropagation();
  event.preventDefault();
};
const refuse = (event, why) => {
  stop(event);
  refusedAt = performance.now();
  const act = actNow();
  if (act !== null && act.refused === '') act.refused = why;
};
// An expected event makes clicks without a position: of a form's button after
// Enter, or of a button after a key.
let granted = false;
const grant = act => {
  act.since = performance.now();
  if (granted) return;
  granted = true;
  after(() => { granted = false; }, 0);
};
// A page may rename an element that was pressed, and nothing else of it.
const ROLE = 0, NAMES = [1, 4, 14], ON = 15; // of a fingerprint: name, label and other names; whether it is on
const isSame = (element, print, renamed) => {
  if (print === '') return true;
  const now = factsOf(element).print;
  if (now === print) return true;
  const before = JSON.parse(print), after = JSON.parse(now);
  return withoutNames(before) === withoutNames(after) && (renamed || isRestyled(element, before, after));
};
const withoutNames = parts => {
  const rest = [...parts];
  for (const at of NAMES) rest[at] = '';
  if (chosenByFocus.has(parts[ROLE])) rest[ON] = '';
  return JSON.stringify(rest);
};
// The pointer over an element, and the focus in it, change how it is drawn: a hint goes
// from the title into a tooltip, a class comes, an option is chosen. Names may then be
// missing, and differ by words that nobody reads: of classes, ids and addresses.
const chosenByFocus = new Set(['radio', 'option', 'menuitemradio', 'tab', 'treeitem']);
const isRestyled = (element, before, after) => {
  const [name, label, firm] = NAMES, unread = new Set([element, ...allInElement(element, '[class]')].slice(0, MOST_CLASSED).flatMap(unreadWords));
  const read = text => wordsIn(text).filter(word => !unread.has(word)).join(' '), parted = text => (text ?? '').split(' · ');
  const names = ['', before[name], ...parted(before[label]), ...before[firm]], known = new Set(names.map(read));
  return [after[name], ...after[firm]].every(text => names.includes(text)) && parted(after[label]).every(text => known.has(read(text)));
};
const unreadWords = element => ['class', 'href', ...handleKeys].flatMap(key => wordsIn(attribute(element, key) ?? ''));
const MOST_CLASSED = 50;
const wordsIn = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
// Outside of a closed shadow root, its events seem to be of its host. So the roots
// around the expected element are watched too.
const watchRootsOf = element => {
  if (element === null) return;
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(hostOf(root))) {
    for (const kind of releases) listen(root, kind, guardRelease, {capture: true, passive: false});
  }
};
// Ends the act's input and returns what arrived.
let lastAct = null; // whose input ended
const ended = () => {
  lastAct = expected;
  const act = expected ?? {refused: '', presses: 0, keys: 0, typed: 0, withheld: false};
  expected = null;
  return {refused: act.refused, presses: act.presses, keys: act.keys, typed: act.typed, withheld: act.withheld};
};
// How long ago input was refused here, in milliseconds; null if none was.
const refusedAgo = () => refusedAt === null ? null : performance.now() - refusedAt;
const admit = all => { admitsAll = all; return null; };
