// A press is for what was judged. What has become something else by the time
// it comes, because the pointer reached it for example, gets none of it, nor
// does the page: what listened to the window before us is all that could.
let press = null; // the one that is expected
const PRESS_LIFE = 10000; // milliseconds
const pressed = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const expectPress = query => { press = query.print ? {node: query.node, print: query.print, since: performance.now(), checked: false, refused: false} : null; };
const isAsJudged = event => {
  const element = elementOf(press.node);
  if (element === null || factsOf(element).print !== press.print) return false;
  const hit = hitAt(event.clientX, event.clientY), target = pointTarget(element);
  return reaches(hit, target, element) && innerAt(hit, target, element) === null;
};
const guardPress = event => {
  if (press === null || !event.isTrusted || performance.now() - press.since > PRESS_LIFE) return;
  if (!press.checked) {
    renew();
    press.refused = !isAsJudged(event);
    press.checked = true;
    renew();
  }
  if (!press.refused) return;
  event.stopImmediatePropagation();
  event.preventDefault();
};
for (const kind of pressed) listen(window, kind, guardPress, {capture: true, passive: false});
// Whether the press that came was refused. It is over then.
const pressRefused = () => {
  const refused = press !== null && press.refused;
  press = null;
  return refused;
};
