// Numbers for elements, never used twice in the life of a document.
const numbers = new WeakMap(), elements = new Map();
let last = 0;
const forget = new FinalizationRegistry(number => elements.delete(number));
const numberOf = element => {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++last;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
    forget.register(element, number);
  }
  return number;
};
// The element of a number, null when it is not in this document any more.
const elementOf = number => {
  const element = elements.get(number)?.deref();
  return element !== undefined && isConnected(element) && ownerDocument(element) === document ? element : null;
};
