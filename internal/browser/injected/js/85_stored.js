// The web storage of the document's origin, as pairs of name and value.
const storageLength = getter(Storage.prototype, 'length');
const storageKey = method(Storage.prototype, 'key');
const storageItem = method(Storage.prototype, 'getItem');
const STORED = 1000; // entries, of each kind
const pairsOf = open => {
  try {
    const storage = open(), pairs = [];
    for (let i = 0; i < Math.min(storageLength(storage), STORED + 1); i++) {
      const name = storageKey(storage, i);
      pairs.push([name, storageItem(storage, name) ?? '']);
    }
    return pairs;
  } catch { return []; } // a document without an origin has none
};
const stored = () => {
  const local = pairsOf(() => localStorage), session = pairsOf(() => sessionStorage);
  return {origin: self.origin, local: local.slice(0, STORED), session: session.slice(0, STORED), cut: local.length > STORED || session.length > STORED};
};
