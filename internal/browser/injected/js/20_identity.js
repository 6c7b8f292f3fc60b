// Numbers for elements, never used twice in the life of a document but for the
// same content that was drawn anew: see follow.
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
// The element of a number, null when it is not in this document any more.
const elementOf = number => {
  const element = elements.get(number)?.deref();
  if (element === undefined || !isConnected(element) || ownerDocument(element) !== document) return null;
  learnRoots(element);
  return element;
};
// A closed shadow root is known from inside: a page may have put the element
// into one since it was seen.
const learnRoots = element => {
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(hostOf(root))) {
    const host = hostOf(root);
    if (shadowOf(host) !== null) continue;
    closedRoots.set(host, root);
    watchShadow(root);
  }
};
