// Which input an act of ours sends to this frame, and to which element. Input
// that was not announced here was meant for another frame or element: it is
// stopped before the browser acts on it, and before any script of the page gets
// it but those that listened to the window before us.
let expected = null;
let admitsAll = false; // while clients of the protocol send input of their own
let refusedAt = -Infinity; // when input was last refused here
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
// While an expected event is handled, clicks follow from it that have no place
// of their own: that of a form's button after Enter, or of a button after a key.
let granted = false;
const grant = act => {
  act.since = performance.now();
  if (granted) return;
  granted = true;
  setTimeout(() => { granted = false; }, 0);
};
// A page may rename a thing that was pressed. What it is and does stays.
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
// Events inside of a closed shadow root seem to be its host's from outside: the
// root of what is expected is listened to as well.
const watchedRoots = new WeakSet();
const watchRootsOf = element => {
  if (element === null) return;
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(hostOf(root))) {
    if (watchedRoots.has(root)) continue;
    watchedRoots.add(root);
    for (const kind of releases) listen(root, kind, guardRelease, {capture: true, passive: false});
  }
};
// What became of the act's input. It is over then.
const ended = () => {
  const act = expected ?? {refused: '', presses: 0, keys: 0, typed: 0, withheld: false};
  expected = null;
  return {refused: act.refused, presses: act.presses, keys: act.keys, typed: act.typed, withheld: act.withheld};
};
// Whether input was refused here lately, in milliseconds.
const strayed = ({within}) => performance.now() - refusedAt <= within;
const admit = all => { admitsAll = all; return null; };
