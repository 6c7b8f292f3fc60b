// Whether the pointer came to this frame: the browser may route it by an older
// painting.
let arrived = false;
const noteArrival = event => { if (event.isTrusted) arrived = true; };
const watchPointer = () => {
  arrived = false;
  for (const kind of ['pointermove', 'mousemove']) listen(window, kind, noteArrival, {capture: true, passive: true});
  return null;
};
const pointerCame = () => arrived;
