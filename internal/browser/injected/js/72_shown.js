// As what a caller was shown an element. A list may give the same row to
// another entry: "Delete" in it is then another act, in the same place, by the
// same node, and by the same name.
const shownAs = new WeakMap();
const remember = element => note(element, false);
const note = (element, told) => {
  const words = wordsOfItem(element);
  shownAs.set(element, {name: bareNameOf(element), item: words?.item ?? '', from: words && hostOfWords(words), told});
};
// Who acts on an element knows that its name may change by that: a play button
// becomes a pause button. The entry that it belongs to does not.
const noteAct = element => {
  const known = shownAs.get(element);
  if (known !== undefined) known.name = undefined;
};
// Who types into a cell changes the words of its row by that, for the other
// cells too.
const ownWords = new WeakSet();
const noteTyped = element => ownWords.add(hostOfEditing(element));
// The editable content that holds the words of an entry.
const hostOfWords = ({text}) => {
  for (let at = text === null ? null : flatParent(text); at !== null && !isEntry(at); at = flatParent(at)) if (isEditingHost(at)) return new WeakRef(at);
  return null;
};
const isOwnItem = (words, known) => {
  const from = known.from?.deref(), now = words ? hostOfWords(words)?.deref() : undefined;
  return from !== undefined && ownWords.has(from) && (now === undefined || ownWords.has(now));
};
// Words that stand behind a field of the entry that we have typed into may be
// computed from it, as the sum of an order is.
const isResult = (words, element) => words !== null && words.text !== null && [...queryAll(entryOf(element), 'input, textarea, select')].slice(0, PAIRS)
  .some(field => ownWords.has(field) && position(field, words.text) & Node.DOCUMENT_POSITION_FOLLOWING);
// As what it was shown, where it is something else now; it counts as shown
// then. Who was told so once is not told of other digits again: a clock never
// stands still.
const becameOther = element => {
  const known = shownAs.get(element);
  if (known === undefined) return undefined;
  const name = bareNameOf(element), words = wordsOfItem(element), item = words?.item ?? '', plain = known.told || isResult(words, element) ? text => text.replace(/\d+/g, '0') : steady;
  const same = (plain(known.item) === plain(item) || isOwnItem(words, known)) && (known.name === undefined || plain(known.name) === plain(name));
  if (same) return undefined;
  note(element, true);
  return {name: known.name ?? '', item: known.item};
};
// Without the digits of times and shares.
const steady = text => text.replace(/\d+(?=[:%]|\s%)|(?<=:)\d+/g, '0');

// What tells the entry of a list or table that an element is in from the
// others: its first words that are not in a button. They are read from the
// tree, not from what is drawn, so that pointing at it does not change them.
const ITEM_UP = 6, ITEM_NODES = 60, ITEM_TEXT = 80; // ancestors, nodes that are looked at, characters
const entries = new Set(['row', 'listitem', 'option', 'treeitem', 'article']);
const isEntry = element => {
  const tag = tagOf(element);
  return tag === 'tr' || tag === 'li' || entries.has(given(element));
};
const itemOf = element => wordsOfItem(element)?.item ?? '';
// The words as {item, text}: text is the node that has them, null where they are
// the element's own name. null for what is in no entry.
const wordsOfItem = element => {
  const entry = entryOf(element);
  if (entry === null) return null;
  const text = firstText(entry, element);
  return {item: text === null ? bareNameOf(element) : clean(nodeData(text), ITEM_TEXT), text};
};
const entryOf = element => {
  let at = flatParent(element);
  for (let up = 0; up < ITEM_UP && at !== null; up++, at = flatParent(at)) if (isEntry(at)) return at;
  return null;
};
const walkerOf = method(Document.prototype, 'createTreeWalker');
const firstText = (entry, element) => {
  const skipped = node => node === element || tagOf(node) === 'button' || given(node) === 'button' || silent.has(localName(node));
  const walker = walkerOf(document, entry, 5, node => isElement(node) && skipped(node) ? 2 : 1); // elements and texts; reject, accept
  for (let left = ITEM_NODES; left > 0; left--) {
    const node = walker.nextNode();
    if (node === null) break;
    if (nodeType(node) === TEXT && hasWord(nodeData(node))) return node;
  }
  return null;
};
