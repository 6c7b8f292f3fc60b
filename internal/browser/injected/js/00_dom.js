// Access to the DOM that the page cannot fake. Named form controls and images
// shadow properties of forms and documents ("DOM clobbering"). Every property
// is therefore read through the getter of its prototype. Each accessor is a
// bound call. Closures would all share one body, which the compiler cannot
// specialise.
const call = Function.prototype.call;
const getter = (proto, name) => call.bind(Object.getOwnPropertyDescriptor(proto, name).get);
const method = (proto, name) => call.bind(proto[name]);
const nodeType = getter(Node.prototype, 'nodeType');
const firstChild = getter(Node.prototype, 'firstChild');
const nextSibling = getter(Node.prototype, 'nextSibling');
const lastChild = getter(Node.prototype, 'lastChild');
const previousSibling = getter(Node.prototype, 'previousSibling');
const parentNode = getter(Node.prototype, 'parentNode');
const isConnected = getter(Node.prototype, 'isConnected');
const ownerDocument = getter(Node.prototype, 'ownerDocument');
const textContent = getter(Node.prototype, 'textContent');
const nodeData = getter(CharacterData.prototype, 'data');
const rootOf = method(Node.prototype, 'getRootNode');
const contains = method(Node.prototype, 'contains');
const position = method(Node.prototype, 'compareDocumentPosition');
const localName = getter(Element.prototype, 'localName');
const namespace = getter(Element.prototype, 'namespaceURI');
const openShadow = getter(Element.prototype, 'shadowRoot');
const assignedSlot = getter(Element.prototype, 'assignedSlot');
const textSlot = getter(Text.prototype, 'assignedSlot');
const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
const attribute = method(Element.prototype, 'getAttribute');
const hasAttribute = method(Element.prototype, 'hasAttribute');
const boundingRect = method(Element.prototype, 'getBoundingClientRect');
const clientRects = method(Element.prototype, 'getClientRects');
const matches = method(Element.prototype, 'matches');
const closest = method(Element.prototype, 'closest');
const animations = method(Element.prototype, 'getAnimations');
const intoView = method(Element.prototype, 'scrollIntoView');
const clientWidth = getter(Element.prototype, 'clientWidth');
const clientHeight = getter(Element.prototype, 'clientHeight');
const clientLeft = getter(Element.prototype, 'clientLeft');
const clientTop = getter(Element.prototype, 'clientTop');
const editableContent = getter(HTMLElement.prototype, 'isContentEditable');
const documentElement = getter(Document.prototype, 'documentElement');
const bodyOf = getter(Document.prototype, 'body');
const baseOf = getter(Node.prototype, 'baseURI');
const scrollingElement = getter(Document.prototype, 'scrollingElement');
const titleOf = getter(Document.prototype, 'title');
const contentTypeOf = getter(Document.prototype, 'contentType');
const byId = method(Document.prototype, 'getElementById');
const byIdInShadow = method(DocumentFragment.prototype, 'getElementById');
const allInDocument = method(Document.prototype, 'querySelectorAll');
const allInFragment = method(DocumentFragment.prototype, 'querySelectorAll');
const allInElement = method(Element.prototype, 'querySelectorAll');
const oneInElement = method(Element.prototype, 'querySelector');
const pointInDocument = method(Document.prototype, 'elementFromPoint');
const activeInDocument = getter(Document.prototype, 'activeElement');
const pointInShadow = method(ShadowRoot.prototype, 'elementFromPoint');
const activeInShadow = getter(ShadowRoot.prototype, 'activeElement');
const hostOf = getter(ShadowRoot.prototype, 'host');

const ELEMENT = 1, TEXT = 3, DOCUMENT = 9, FRAGMENT = 11;
const HTML = 'http://www.w3.org/1999/xhtml', SVG = 'http://www.w3.org/2000/svg', MATH = 'http://www.w3.org/1998/Math/MathML';
const isElement = node => node !== null && node !== undefined && nodeType(node) === ELEMENT;
const isHTML = element => namespace(element) === HTML;
// An element that was moved here from another document is no instance of this
// window's HTMLElement, so the namespace is compared instead.
const isWritable = element => isHTML(element) && editableContent(element) === true;
const tagOf = element => isHTML(element) ? localName(element) : namespace(element) === SVG ? 'svg:' + localName(element) : '';

// Closed shadow roots that the engine passed to the script, by host.
const closedRoots = new WeakMap();
const shadowOf = element => openShadow(element) ?? closedRoots.get(element) ?? null;

// The parent in the flat tree: through slots and out of shadow roots.
const flatParent = node => {
  const slot = nodeType(node) === ELEMENT ? assignedSlot(node) : nodeType(node) === TEXT ? textSlot(node) : null;
  if (slot !== null) return slot;
  const parent = parentNode(node);
  if (parent === null || nodeType(parent) === DOCUMENT) return null;
  if (nodeType(parent) === FRAGMENT) return parent instanceof ShadowRoot ? hostOf(parent) : null;
  return parent;
};

// Calls visit for each child in the flat tree.
const eachChild = (element, visit) => {
  const shadow = shadowOf(element);
  if (shadow === null && localName(element) === 'slot' && isHTML(element)) {
    const assigned = assignedNodes(element);
    if (assigned.length > 0) {
      for (const node of assigned) visit(node);
      return;
    }
  }
  for (let node = firstChild(shadow ?? element); node !== null; node = nextSibling(node)) visit(node);
};

const inFlat = (ancestor, node) => {
  for (let at = node; at !== null; at = flatParent(at)) if (at === ancestor) return true;
  return false;
};

const idIn = (scope, id) => nodeType(scope) === DOCUMENT ? byId(scope, id)
  : scope instanceof DocumentFragment ? byIdInShadow(scope, id) : null;

// Timers and frames of ours. All scripts of a document share their numbers, which are
// given in order; so a new number tells how many the page has asked for.
let ownTimers = 0, ownFrames = 0;
// Runs a task after some ms. Timers never end in a document whose scripts are off, as in
// a sandbox; the scheduler's tasks run there. The one of a timer runs after all others
// that are due, and so does one in the background.
const after = (task, ms) => {
  ownTimers++;
  const scheduled = new AbortController();
  const timer = setTimeout(() => { scheduled.abort(); task(); }, ms);
  scheduler.postTask(() => { clearTimeout(timer); task(); }, {delay: ms, priority: 'background', signal: scheduled.signal}).catch(() => {});
  return {timer, scheduled};
};
const cancel = pending => {
  if (pending === null) return;
  clearTimeout(pending.timer);
  pending.scheduled.abort();
};
const beforeFrame = task => {
  ownFrames++;
  return requestAnimationFrame(task);
};
// How many timers and frames scripts of the page have asked for until now.
const askedForLater = () => {
  ownTimers++;
  const timer = setTimeout(() => {}, 0), frame = beforeFrame(() => {});
  clearTimeout(timer);
  cancelAnimationFrame(frame);
  return timer - ownTimers + frame - ownFrames;
};
