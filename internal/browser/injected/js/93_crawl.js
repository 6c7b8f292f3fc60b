// What a crawl needs of a page: its links, as they are and as they may be shown,
// and what it says to crawlers. Hidden links count, as menus hide them.
const LEAD_LIMIT = 2000;
const crawlLinks = () => {
  const found = new Map(), out = {leads: [], shown: []}, roots = rootsOf(true);
  const all = roots.flatMap(root => [...queryAll(root, 'a,area')]);
  for (const element of roots.length > 1 ? inOrder(all) : all) {
    const href = attribute(element, 'href'), url = href === null ? null : URL.parse(href, baseOf(document));
    if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > 8192) continue;
    if (found.has(url.href)) continue;
    if (out.leads.length >= LEAD_LIMIT) break;
    found.set(url.href, true);
    out.leads.push(url.href);
    out.shown.push(shownURL(url.href));
  }
  const canonical = queryAll(document, 'link[rel~="canonical" i][href]')[0];
  if (canonical !== undefined) out.canonical = URL.parse(attribute(canonical, 'href'), baseOf(document))?.href;
  const robots = [...queryAll(document, 'meta[name="robots" i]')].map(meta => attribute(meta, 'content') ?? '').join(',');
  out.nofollow = /\b(nofollow|none)\b/i.test(robots);
  return out;
};

// Answers when the document has not changed for a while, at once if it has no
// scripts.
const waitQuiet = ({still, wait}) => new Promise(done => {
  if (!hasScripts()) return done({script: false});
  const end = () => { observer.disconnect(); cancel(timer); cancel(last); done({script: true}); };
  let timer = after(end, still);
  const last = after(end, wait);
  const observer = new MutationObserver(() => { cancel(timer); timer = after(end, still); });
  observer.observe(document, {subtree: true, childList: true, characterData: true});
});

// Tells what a crawl must know about a document that it fetched without the browser.
// live: with its scripts and frames the document can show something else, so the crawl
// has to load it in the browser. Handlers of what only a person does do not count.
// marks: the document can leave traces in its window (a policy, a color scheme, focus),
// so the next document needs a new window.
const liveParts = 'script:not([type*="json" i]),iframe,frame,object,embed,fencedframe,meta[http-equiv="refresh" i]';
const markingParts = 'meta[http-equiv],meta[name="color-scheme" i],[autofocus]';
const byPerson = /^on(click|submit|change|input|key(up|down|press)|mouse(over|out|down|up|enter|leave|move))$/i;
const hasLiveParts = root => queryAll(root, liveParts).length > 0 ||
  [...queryAll(root, '*')].some(element => hasAttributes(element) && attributeNames(element).some(name => /^on/i.test(name) && !byPerson.test(name)));
const readyStateOf = getter(Document.prototype, 'readyState'), addressOf = getter(Document.prototype, 'URL');
const fetched = () => {
  if (readyStateOf(document) !== 'complete') return {loading: true};
  return {live: rootsOf(true).some(hasLiveParts), marks: queryAll(document, markingParts).length > 0};
};
// Gives the document another address of its origin, and reports whether it has it:
// the browser refuses too many in a short time.
const readdress = address => {
  history.replaceState(null, '', address);
  return addressOf(document) === address;
};
