// Whether a loaded document shows nothing yet, or says that it is loading. Without
// scripts it does not change any more.
const hasScripts = () => queryAll(document, 'script:not([type*="json" i])').length > 0;
const SHELL = 80, LOOKED_FOR = 100; // characters; elements
const loadingWords = /^\W*(loading|please wait|one moment|just a moment|initiali[sz]ing|connecting)\b/i;
const contentful = 'img,video,canvas,svg,iframe,frame,object,embed,button,input:not([type=hidden i]),select,textarea,a[href],[role]';
const waiting = '[aria-busy=true],[role=progressbar]:not([aria-valuenow]),progress:not([value])';
const isUnfinished = () => {
  const body = bodyOf(document);
  if (body === null || !hasScripts()) return false;
  renew();
  const text = shows(body) ? visibleText(body, SHELL * 2).trim() : ''; // some pages are hidden until they are drawn
  if (text === '') return anyPointable(body, waiting) || !anyPointable(body, contentful) && isFilledByScript(body);
  return text.length <= SHELL && (loadingWords.test(text) || anyPointable(body, waiting));
};
// Whether the page says, since the act, that it works on something.
const works = () => {
  const fresh = [...queryAll(document, waiting)].filter(element => !effects.working.has(element)).slice(0, LOOKED_FOR);
  if (fresh.length > 0) renew(); // what is around it may have been hidden
  return fresh.some(pointable);
};
// It has an empty element for a script to fill, or a script file.
const isFilledByScript = body => allInElement(body, ':not(script,style,link,noscript,template)').length > 0 || queryAll(document, 'script[src],script[type=module i]').length > 0;
const anyPointable = (body, selector) => [...allInElement(body, selector)].slice(0, LOOKED_FOR).some(pointable);

// Whether a canvas or video shows another picture than before an act. One that
// cannot be read, or is empty (as WebGL's drawing buffer), counts as changed.
const PICTURES = 4, GRAIN = 48; // elements; samples on each side
const pictures = () => {
  const all = new Map();
  for (const element of queryAll(document, 'canvas,video')) {
    if (all.size >= PICTURES) break;
    if (pointable(element) && inSight(boxOf(element), wholeView())) all.set(element, pictureOf(element));
  }
  return all;
};
const isPaused = getter(HTMLMediaElement.prototype, 'paused'), sourceOf = getter(HTMLMediaElement.prototype, 'currentSrc');
const isMuted = getter(HTMLMediaElement.prototype, 'muted');
const pictureOf = element => {
  if (element instanceof HTMLVideoElement) return [isPaused(element), isMuted(element), sourceOf(element)].join(' ');
  if (!(element instanceof HTMLCanvasElement)) return null;
  try {
    const small = new OffscreenCanvas(GRAIN, GRAIN).getContext('2d', {willReadFrequently: true});
    small.imageSmoothingQuality = 'high';
    small.drawImage(element, 0, 0, GRAIN, GRAIN);
    const {data} = small.getImageData(0, 0, GRAIN, GRAIN);
    return data.some(value => value !== 0) ? data.join() : null;
  } catch { return null; }
};
const redrawn = () => {
  renew();
  const now = pictures();
  if (now.size !== effects.pictures.size) return true;
  for (const [element, picture] of now) if (picture === null || picture !== effects.pictures.get(element)) return true;
  return false;
};
