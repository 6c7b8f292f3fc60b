// Nodes that the engine passes to the script.
const adopt = (_, node) => numberOf(node);
const adoptShadow = (_, host, root) => {
  closedRoots.set(host, root);
  watchShadow(root);
  return true;
};
// Elements that may have a closed shadow root and about which the engine was
// not asked yet: custom elements, and other elements whose drawing differs from
// their own content.
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
// The result of another function, and the possible hosts that the engine must
// check before it reads again.
const reading = ({name, arg, limit}) => ({value: functions[name](arg), hosts: closedCandidates(limit)});
// Before a press or a key goes to an element, the element is checked by itself.
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
// Whether a plain element seems to have a shadow root that replaces its
// children: it has a size, and its children have no boxes, or it has no
// children although something is drawn.
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
    if (cache.hidden.get(node) === false) return false; // it was examined in this pass
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
