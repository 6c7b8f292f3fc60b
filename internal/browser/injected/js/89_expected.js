// The input that an act sends to this frame, and its element. Other input is for
// another frame or element. It is stopped before the browser acts on it, and before
// scripts of the page get it, unless they listened to the window before us.
let expected = null;
let admitsAll = false; // while clients of the protocol send input of their own
let refusedAt = null; // when input was last refused here
const EXPECTED_LIFE = 300000; // milliseconds since the act began, or since its last event
const keyKinds = new Set(['type', 'focus']), dragging = new Set(['drag', 'drop']);
const expect = query => {
  const act = {kind: query.kind, node: query.node, print: query.print ?? '', since: performance.now(), refused: '', presses: 0, keys: 0, typed: 0, withheld: false, drop: null};
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
const NAMES = [1, 4, 14]; // of a fingerprint: name, label and other names
const isSame = (element, print, renamed) => {
  if (print === '') return true;
  const now = factsOf(element).print;
  return now === print || renamed && withoutNames(now) === withoutNames(print);
};
const withoutNames = print => {
  const parts = JSON.parse(print);
  for (const at of NAMES) parts[at] = '';
  return JSON.stringify(parts);
};
// Outside of a closed shadow root, its events seem to be of its host. So the roots
// around the expected element are watched too.
const watchRootsOf = element => {
  if (element === null) return;
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(hostOf(root))) {
    for (const kind of releases) listen(root, kind, guardRelease, {capture: true, passive: false});
  }
};
// Ends the act's input and returns what arrived.
const ended = () => {
  const act = expected ?? {refused: '', presses: 0, keys: 0, typed: 0, withheld: false};
  expected = null;
  return {refused: act.refused, presses: act.presses, keys: act.keys, typed: act.typed, withheld: act.withheld};
};
// How long ago input was refused here, in milliseconds; null if none was.
const refusedAgo = () => refusedAt === null ? null : performance.now() - refusedAt;
const admit = all => { admitsAll = all; return null; };
