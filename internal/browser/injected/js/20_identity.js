// Numbers of elements. A number is used again in the same document only for an
// element that replaces another one with the same content; see follow.
const numbers = new WeakMap(), elements = new Map();
let last = 0;
const forget = new FinalizationRegistry(number => elements.delete(number));
const numberOf = element => {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++last;
    enroll(element, number);
  }
  return number;
};
const enroll = (element, number) => {
  numbers.set(element, number);
  elements.set(number, new WeakRef(element));
  forget.register(element, number, element);
  hold(element, bearers);
};
// The element with a number; null when it is no longer in this document.
const elementOf = number => {
  const element = elements.get(number)?.deref();
  if (element === undefined || !isConnected(element) || ownerDocument(element) !== document) return null;
  learnRoots(element);
  return element;
};
// The page may have moved the element into a closed shadow root since it was
// last read. From inside, that root can be found.
const learnRoots = element => {
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(hostOf(root))) {
    const host = hostOf(root);
    if (shadowOf(host) !== null) continue;
    closedRoots.set(host, root);
    watchShadow(root);
  }
};
