// Waits for a condition. It is checked after each change of the document, every few
// frames, and at least every 100 ms: observers miss changes in shadow roots, of
// values and of layout. A slow check runs less often.
let frames = 0; // painted while something waits
const until = (check, limit) => {
  renew();
  if (check() || limit <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = performance.now() + limit;
    let next = 0, timer = null, frame = 0, observer = null, over = false;
    const finish = settle => {
      over = true;
      cancel(timer);
      cancelAnimationFrame(frame);
      observer.disconnect();
      settle();
    };
    const look = () => {
      if (over) return;
      const start = performance.now();
      if (start < next && start < end) return;
      renew();
      let done = false;
      try { done = check(); } catch (error) { return finish(() => reject(error)); }
      if (done || start >= end) return finish(resolve);
      const spent = performance.now() - start;
      next = performance.now() + Math.min(500, Math.max(4, spent * 4));
    };
    const tick = () => {
      look();
      if (!over) timer = after(tick, Math.max(1, Math.min(100, end - performance.now(), Math.max(next - performance.now(), 20))));
    };
    const paint = () => {
      frames++;
      look();
      if (!over) frame = beforeFrame(paint);
    };
    observer = new MutationObserver(look);
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    frame = beforeFrame(paint);
    tick();
  });
};
