// Whether the pointer came to this frame: the browser may route it by an older
// painting.
let arrived = false, awaitsPointer = false;
const noteArrival = event => { if (event.isTrusted) arrived = true; };
const watchPointer = () => {
  arrived = false;
  if (!awaitsPointer) for (const kind of ['pointermove', 'mousemove']) listen(window, kind, noteArrival, {capture: true, passive: true});
  awaitsPointer = true;
  return null;
};
const pointerCame = () => arrived;
