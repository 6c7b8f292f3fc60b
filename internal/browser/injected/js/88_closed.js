// Nodes that the engine hands in.
const adopt = (_, node) => numberOf(node);
const adoptShadow = (_, host, root) => {
  closedRoots.set(host, root);
  watchShadow(root);
  return true;
};
// Elements that may have a closed shadow root and were not asked about:
// custom elements, and plain ones that show more than their own content.
const askedHosts = new WeakSet();
const hostTags = 'article,aside,blockquote,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span';
const closedCandidates = limit => {
  const found = [];
  for (const root of rootsOf(true)) closedAmong(mayHost(root), limit, found);
  return found;
};
const closedAmong = (elements, limit, found) => {
  for (const element of elements) {
    if (found.length >= limit) break;
    if (askedHosts.has(element) || !mayBeClosed(element)) continue;
    askedHosts.add(element);
    found.push(numberOf(element));
  }
  return found;
};
// What another function reads, and whom to ask before it is read again.
const reading = ({name, arg, limit}) => ({value: functions[name](arg), hosts: closedCandidates(limit)});
// Elements that a press or a key goes to are asked about one by one.
const isUnasked = (element, always) => !askedHosts.has(element) && isHTML(element) && openShadow(element) === null && !closedRoots.has(element) &&
  (localName(element).includes('-') || plainHosts.has(localName(element)) && (always || element === activeElement() || hidesLight(element)));
const askAbout = element => {
  askedHosts.add(element);
  return numberOf(element);
};
const plainHosts = new Set(hostTags.split(','));
const mayBeClosed = element => {
  if (!isHTML(element) || openShadow(element) !== null || closedRoots.has(element)) return false;
  const tag = localName(element);
  if (tag.includes('-')) return true;
  if (!plainHosts.has(tag)) return false;
  return hidesLight(element);
};
// A plain element whose shadow root takes the place of its own children: it
// has a size, and they have no boxes (or there are none and it is not empty
// by its looks).
const hidesLight = element => {
  let any = false;
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    const type = nodeType(node);
    if (type === ELEMENT) {
      const {display} = styleOf(node);
      if (display === '') any = true; // it is in no slot
      else if (display !== 'none' || clientRects(node).length > 0) return false;
      continue;
    }
    if (type !== TEXT || nodeData(node).trim() === '') continue;
    if (cache.hidden.get(node) === false) return false; // it was seen in this pass
    const range = new Range();
    range.selectNode(node);
    if (range.getClientRects().length > 0) return false;
    any = true;
  }
  const rect = boundingRect(element);
  if (rect.width === 0 || rect.height === 0) return false;
  return any || contentHeight(element) > 0;
};
const contentHeight = element => {
  const style = styleOf(element);
  if (style.display === 'flex' || style.display === 'grid') return 0;
  return clientHeight(element) - parseFloat(style.paddingTop || 0) - parseFloat(style.paddingBottom || 0) - (parseFloat(style.minHeight) || 0);
};
