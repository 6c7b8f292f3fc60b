// How an element was shown to the caller. A list may reuse a row for another
// entry. "Delete" in that row is then another act, although its place, node and
// name are the same.
const shownAs = new WeakMap();
const remember = element => note(element, false);
const note = (element, told) => {
  const words = wordsOfItem(element);
  shownAs.set(element, {name: bareNameOf(element), item: words?.item ?? '', from: words && hostOfWords(words), told});
};
// Called after an act on an element, which may change its name: a play button
// becomes a pause button. The caller expects that. The entry of the element
// must stay the same.
const noteAct = element => {
  const known = shownAs.get(element);
  if (known !== undefined) known.name = undefined;
};
// Typing into a cell changes the text of its row, which also identifies the
// other cells of the row.
const ownWords = new WeakSet();
const noteTyped = element => ownWords.add(hostOfEditing(element));
// The editable content that contains the text of an entry.
const hostOfWords = ({text}) => {
  for (let at = text === null ? null : flatParent(text); at !== null && !isEntry(at); at = flatParent(at)) if (isEditingHost(at)) return new WeakRef(at);
  return null;
};
const isOwnItem = (words, known) => {
  const from = known.from?.deref(), now = words ? hostOfWords(words)?.deref() : undefined;
  return from !== undefined && ownWords.has(from) && (now === undefined || ownWords.has(now));
};
// Text that follows a field of the entry that we typed into may be computed
// from it, such as the total of an order.
const isResult = (words, element) => words !== null && words.text !== null && [...queryAll(entryOf(element), 'input, textarea, select')].slice(0, PAIRS)
  .some(field => ownWords.has(field) && position(field, words.text) & Node.DOCUMENT_POSITION_FOLLOWING);
// How the element was shown, if it is something else now; it then counts as
// shown. After one report, changes of digits are no longer reported, because a
// clock changes all the time.
const becameOther = element => {
  const known = shownAs.get(element);
  if (known === undefined) return undefined;
  const name = bareNameOf(element), words = wordsOfItem(element), item = words?.item ?? '', plain = known.told || isResult(words, element) ? text => text.replace(/\d+/g, '0') : steady;
  const same = (plain(known.item) === plain(item) || isOwnItem(words, known)) && (known.name === undefined || plain(known.name) === plain(name));
  if (same) return undefined;
  note(element, true);
  return {name: known.name ?? '', item: known.item};
};
// Without the digits of times and percentages.
const steady = text => text.replace(/\d+(?=[:%]|\s%)|(?<=:)\d+/g, '0');

// The text that distinguishes the list or table entry of an element from
// others: its first text outside of buttons. It is read from the tree and not
// from what is drawn, so that it does not change when the pointer is over the
// entry.
const ITEM_UP = 6, ITEM_NODES = 60, ITEM_TEXT = 80; // ancestors, nodes that are examined, characters
const entries = new Set(['row', 'listitem', 'option', 'treeitem', 'article']);
const isEntry = element => {
  const tag = tagOf(element);
  return tag === 'tr' || tag === 'li' || entries.has(given(element));
};
const itemOf = element => wordsOfItem(element)?.item ?? '';
// The text as {item, text}. text is the text node, null if the element's own
// name is used. The result is null for an element outside of any entry.
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
// The first text of the row around an element, in a table or list that is made of
// boxes without a role. A row is next to one with the same tag and class that has
// controls too. It only tells elements of the same name apart and is not judged: the
// words of an entry may say anything about its buttons.
const previousElement = getter(Element.prototype, 'previousElementSibling');
const plainRowText = element => {
  if (entryOf(element) !== null) return '';
  let at = flatParent(element);
  for (let up = 0; up < ITEM_UP && at !== null; up++, at = flatParent(at)) {
    const text = isPlainRow(at) ? firstText(at, element) : null;
    if (text !== null) return hiddenText(text, flatParent(text)) ? '' : clean(nodeData(text), ITEM_TEXT);
  }
  return '';
};
const isPlainRow = box => [previousElement(box), nextElement(box)].some(other => other !== null && localName(other) === localName(box) &&
  attribute(other, 'class') === attribute(box, 'class') && oneInElement(other, 'a, button, input, select, textarea, [role], [onclick]') !== null);
