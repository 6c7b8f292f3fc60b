// A press is for the element that was judged. If that has changed when the press
// comes, neither it nor the page gets the press.
const releases = ['pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const pressed = ['pointerdown', 'mousedown', ...releases];
const eventPath = method(Event.prototype, 'composedPath');
const receiverOf = event => {
  try {
    const at = eventPath(event)[0];
    return isElement(at) ? at : null; // of whichever frame of the process its object is
  } catch { return null; } // no node
};
const guardPress = event => {
  if (!event.isTrusted) return;
  if (event.type === 'click' && event.detail === 0 && granted) return;
  const act = actNow();
  if (act === null) {
    if (!admitsAll && !isLeaving(event)) refuse(event, 'press');
    return;
  }
  renew();
  judgePress(event, act);
  renew();
};
const judgePress = (event, act) => {
  if (act.refused !== '' || event.type === 'click' && event.detail === 0) return refuse(event, 'press');
  const element = elementOf(act.node);
  if (event.type === 'pointerdown') {
    if (element === null || act.kind === 'drop' || !isAsJudged(event, act, element)) return refuse(event, 'press');
    act.presses++;
  } else if (event.type === 'mousedown') {
    if (!landsOn(receiverOf(event), element)) return refuse(event, 'press');
  } else {
    judgeRelease(event, act);
    return;
  }
  grant(act);
};
// At the first press everything must be as judged. Later presses allow another
// name.
const isAsJudged = (event, act, element) => {
  if (!isSame(element, act.print, act.presses > 0)) return false;
  const hit = hitAt(event.clientX, event.clientY), target = pointTarget(element);
  return reaches(hit, target, element) && innerAt(hit, target, element) === null;
};
const landsOn = (at, element) => {
  if (at === null || element === null) return false;
  if (inFlat(at, element)) return true; // its ancestors get its events too
  const target = pointTarget(element);
  return (reaches(at, target, element) || inFlat(activated(element), at)) && innerAt(at, target, element) === null;
};
// The release and its click are for the element that was pressed, or for one that
// does nothing.
const judgeRelease = (event, act) => {
  const at = receiverOf(event), element = elementOf(act.node), drop = act.drop === null ? null : elementOf(act.drop.node);
  if (landsOn(at, element) || landsOn(at, drop) || (act.kind === 'drag' ? !isControl(at) : isInert(at, element)) || isLeaving(event)) return grant(act);
  if (act.kind === 'drag' || event.type !== 'pointerup' && event.type !== 'mouseup') return refuse(event, 'press');
  act.withheld = true;
  stop(event);
};
const guardRelease = event => {
  const act = actNow();
  if (!event.isTrusted || act === null || event.type === 'click' && event.detail === 0) return;
  renew();
  judgeRelease(event, act);
  renew();
};
const isInert = (at, element) => {
  for (; at !== null; at = flatParent(at)) {
    if (element !== null && inFlat(at, element)) return true;
    if (actsAlone(at) || isEditingHost(at) || pointerListeners.has(at)) return false;
  }
  return true;
};
// Elements make room for what is dragged over them. Only native controls and roles
// of controls refuse the release.
const isControl = at => {
  for (; at !== null; at = flatParent(at)) if (controlTags.has(tagOf(at)) || framing.has(tagOf(at)) || /^(button|link|menuitem)$/.test(given(at))) return true;
  return false;
};
// A page may take pointer events from its items while it drags one. What is pointed at
// where such an item is, is then what it is in.
const isDragging = () => { const act = actNow(); return act !== null && act.kind === 'drag' && act.presses > 0; };
const letsThrough = (element, hit) => styleOf(element).pointerEvents === 'none' && inFlat(hit, element) && !isControl(hit);
// A release outside of every element presses nothing.
const isLeaving = event => (event.type === 'pointerup' || event.type === 'mouseup') && hitAt(event.clientX, event.clientY) === null;
const guardDrop = event => {
  if (!event.isTrusted) return;
  const act = actNow(), drop = act === null ? null : act.drop;
  if (drop === null) {
    if (!admitsAll) refuse(event, 'press');
    return;
  }
  renew();
  const element = elementOf(drop.node);
  const same = element !== null && isSame(element, drop.print, true) && reaches(hitAt(event.clientX, event.clientY), pointTarget(element), element);
  renew();
  if (same) grant(act);
  else refuse(event, 'press');
};
// Runs again after document.open, which removes every listener. To add a listener
// that is there does nothing.
const guardInput = () => {
  const options = {capture: true, passive: false};
  for (const kind of ['keydown', 'keypress', 'keyup', 'beforeinput']) listen(window, kind, guardKey, options);
  for (const kind of pressed) listen(window, kind, guardPress, options);
  listen(window, 'drop', guardDrop, options);
  listen(window, 'change', dropRepeated, options);
};
guardInput();
