// The only global that the script defines. Arguments and results are JSON text.
const functions = {find, facts, reacting, idle, elementTexts, guarded, ready, focus, focused, optionLabels, choose, assign, insert, commit, held, fill, stored, at, watchDrag, dragBegan, scroll, embedded, adopt, adoptShadow, closedCandidates, markListening, markWindow, waitFor, text, snapshot,
  markup, html, links, scrape, reading, serveRelay, keepPage, crawlLinks, waitQuiet, fetched, readdress, boxes, watchPointer, pointerCame, ended, refusedAgo, admit, reveal, arm, waitStable, endWatch, drawnDocument};
const answer = value => JSON.stringify(value ?? null);
const api = Object.freeze({
  run(name, arg, ...nodes) {
    renew();
    const value = functions[name](JSON.parse(arg), ...nodes);
    if (value instanceof Promise) return value.then(answer);
    renew();
    return answer(value);
  },
  element: number => followed(number),
});
Object.defineProperty(globalThis, '__glovebox', {value: api, enumerable: false, writable: false, configurable: false});
