// Content that a page redraws: elements are removed, and others with the same
// content are added in their place. A new element takes over the number of the
// old one, so that references stay valid, but only where it cannot be confused
// with another element. docs/snapshot.md has the rule.
const REDRAWN_LIMIT = 5000, PARENTS_LIMIT = 500; // children of one parent that are kept until the next walk; parents
const PAIR_WORK = 60000, PAIR_BUCKET = 24; // elements compared in one walk; entries with the same words
const bearers = new WeakSet(); // elements with a number, and their ancestors
const readers = new WeakSet(); // elements that a walk has read or counted, and their ancestors
const departed = new Map(); // parents to {went, came, lost}: the children removed and added since the last walk
const renewed = new WeakMap(); // elements to how often their number was taken over
let touched = null; // the last field that an act of ours changed since the last walk
let acted = false; // whether an act of ours was done since the last walk
let scene = {words: '', heads: new Map(), dialogs: new Map()}; // address, headings and dialogs at the last walk

const hold = (element, set) => {
  for (let at = element; at !== null && !set.has(at); at = parentNode(at)) set.add(at);
};
const isHeld = node => bearers.has(node) || readers.has(node);
// Records the children that were removed and added, for each parent that lost a
// node that had been read. A node that was both added and removed between two
// walks is not recorded.
const noteDepartures = changes => {
  for (const {type, target, removedNodes} of changes) {
    if (type !== 'childList' || departed.has(target) || departed.size >= PARENTS_LIMIT) continue;
    for (const node of removedNodes) if (isHeld(node)) departed.set(target, {went: new Set(), came: new Set(), lost: false});
  }
  if (departed.size === 0) return;
  for (const {type, target, addedNodes, removedNodes} of changes) {
    const known = type === 'childList' ? departed.get(target) : undefined;
    if (known === undefined || known.lost) continue;
    for (const node of removedNodes) if (isElement(node) && !known.came.delete(node)) known.went.add(node);
    for (const node of addedNodes) if (isElement(node) && !known.went.delete(node)) known.came.add(node);
    if (known.went.size + known.came.size > REDRAWN_LIMIT) Object.assign(known, {went: new Set(), came: new Set(), lost: true});
  }
};
// Gives the numbers of removed elements to the elements that replaced them
// since the last walk.
const follow = () => {
  const all = [...departed], work = {left: PAIR_WORK};
  departed.clear();
  if (all.length === 0 || !isSameScene()) return;
  for (const [parent, {went, came}] of all) {
    if ((work.left -= went.size + came.size) < 0) return;
    const gone = [...went].filter(element => !isConnected(element)), fresh = [...came].filter(element => parentNode(element) === parent);
    if (gone.length === 0 || fresh.length === 0 || !isConnected(parent) || !isSameDialog(fresh[0])) continue;
    const stays = elementsOf(parent).filter(element => !came.has(element)), pairs = [];
    pairChildren({parent, before: parent, gone, fresh, stays}, pairs, {work, strict: false, digits: false, anyText: false});
    for (const [was, is] of pairs) inherit(was, is);
  }
};
// Called before a walk whose result is shown to a caller.
const catchUp = () => {
  onChanges(changeWatch.takeRecords());
  follow();
  touched = null;
  acted = false;
  scene = {words: sceneWords(), heads: new Map(headsNow().map(head => [head, headWords(head)])), dialogs: new Map(dialogsNow().map(dialog => [dialog, textContent(dialog)]))};
};
// The element with a number. If one of our own acts made the page redraw it,
// this is the element that replaced it.
const followed = number => {
  const element = elementOf(number);
  if (element !== null || !acted) return element;
  onChanges(changeWatch.takeRecords());
  follow();
  return elementOf(number);
};
const noteActed = (element, changes) => {
  acted = true;
  if (element === null || element === touched) return;
  touched = changes && fieldTags.has(localName(element)) ? element : null;
};
// Numbers are not transferred when the address or a main heading changed,
// because that is another page, or when the text of a dialog changed, because
// that is another question.
const HEADS = 200;
const isSameScene = () => scene.words === sceneWords() && [...scene.heads].every(([head, words]) => !isConnected(head) || headWords(head) === words);
const headsNow = () => [...allInDocument(document, 'h1, h2, h3, h4, h5, h6, legend, caption, [role=heading]')].slice(0, HEADS);
const headWords = head => squeeze(textContent(head)).replace(/\d+/g, '0');
const sceneWords = () => location.href + headsNow().filter(head => /^h[12]$/.test(localName(head)) && entryOf(head) === null).map(head => '\n' + headWords(head)).join('');
const dialogsNow = () => [...allInDocument(document, 'dialog, [role=dialog], [role=alertdialog], [aria-modal=true]')];
const isSameDialog = element => {
  const dialog = dialogOf(element);
  return dialog === null || scene.dialogs.get(dialog) === textContent(dialog);
};
const elementsOf = parent => {
  const all = [];
  for (let node = firstChild(parent); node !== null; node = nextSibling(node)) if (isElement(node)) all.push(node);
  return all;
};
const inherit = (was, is) => {
  const number = numbers.get(was);
  if (number !== undefined && !numbers.has(is)) {
    numbers.delete(was);
    forget.unregister(was);
    enroll(is, number);
    renewed.set(is, (renewed.get(was) ?? 0) + 1);
  }
  for (const marks of [shownAs, firstRead, counted, changeMarks, lines]) if (marks.has(was) && (!marks.has(is) || marks === changeMarks)) marks.set(is, marks.get(was));
  for (const marks of [ownWords, wanted, readers, oncePassword]) if (marks.has(was)) marks.add(is);
  if (touched === was) touched = is;
  broughtIn.delete(is);
};

// Pairs the children that were removed from a parent with those that were added.
const pairChildren = (lists, pairs, how) => {
  const {parent, before, gone, fresh, stays} = lists, all = [...gone, ...fresh, ...stays];
  const alone = gone.length === 1 && fresh.length === 1 && stays.length === 0;
  const series = !alone && all.every(element => localName(element) === localName(all[0])) && !hasOwnText(parent) && !hasOwnText(before);
  if (series && !boxTags.has(localName(all[0]))) return pairEntries(lists, pairs, how);
  const kept = new Set(stays.map(wordsKey)), found = [];
  if (gone.some(element => kept.has(wordsKey(element))) || !pairInOrder(gone, fresh, found, how)) return series && pairEntries(lists, pairs, how);
  for (const pair of found) pairs.push(pair);
  return true;
};
const hasOwnText = parent => {
  for (let node = firstChild(parent); node !== null; node = nextSibling(node)) if (nodeType(node) === TEXT && nodeData(node).trim() !== '') return true;
  return false;
};
// Pairs the parts of two parents in order: all of them, or none.
const pairInOrder = (was, is, found, how) => {
  if (was.length !== is.length) return false;
  const twins = twinsAmong(was);
  return was.every((part, i) => {
    if (typeof part === 'string' || typeof is[i] === 'string') return typeof part === typeof is[i] && isSameText(part, is[i], how);
    return pairTrees(part, is[i], twins.has(part) ? [] : found, how);
  });
};
// Digits near a field that we typed into may be a count of its characters.
const isSameText = (was, is, how) => how.anyText || was === is || how.digits && was.replace(/\d+/g, '0') === is.replace(/\d+/g, '0');
const pairTrees = (was, is, found, how) => {
  if (--how.work.left < 0 || !isSameElement(was, is, how)) return false;
  found.push([was, is]);
  const strict = how.strict || isDialog(was), inner = {...how, strict, digits: how.digits || !strict && holdsTouched(was)};
  if (isList(was) && !strict && !how.anyText) {
    pairEntries({parent: is, before: was, gone: elementsOf(was), fresh: elementsOf(is), stays: []}, found, inner);
    return true;
  }
  return pairInOrder(insideOf(was), insideOf(is), found, inner);
};
const listTags = new Set(['ol', 'tbody', 'ul']), listRoles = new Set(['feed', 'grid', 'list', 'listbox', 'rowgroup', 'tree', 'treegrid']);
const isList = element => listTags.has(tagOf(element)) || listRoles.has(given(element));
const holdsTouched = element => touched !== null && contains(element, touched);
// The texts and child elements of an element.
const insideOf = element => {
  const parts = [];
  let text = '';
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === TEXT) text += nodeData(node);
    if (!isElement(node) || silent.has(localName(node))) continue;
    if (text.trim() !== '') parts.push(squeeze(text));
    text = '';
    parts.push(node);
  }
  if (text.trim() !== '') parts.push(squeeze(text));
  return parts;
};
// Siblings that differ only in their position. Table cells are excluded: their
// position is their column.
const twinsAmong = parts => {
  const byWords = new Map(), twins = new Set();
  for (const part of parts) {
    if (typeof part === 'string' || !bearers.has(part) || /^t[dh]$/.test(localName(part))) continue;
    const key = localName(part) + outerOf(part).replace(/ (class|style)="[^"]*"/g, ''), other = byWords.get(key);
    if (other !== undefined) twins.add(part).add(other);
    byWords.set(key, part);
  }
  return twins;
};

// Attributes that describe the current state of an element and do not identify
// it.
const stateOnly = new Set(['class', 'style', 'checked', 'selected', 'open', 'disabled', 'tabindex', 'nonce', 'aria-selected', 'aria-checked', 'aria-expanded', 'aria-pressed',
  'aria-current', 'aria-busy', 'aria-disabled', 'aria-invalid', 'aria-activedescendant', 'data-state', 'data-active', 'data-selected']);
const generatedId = /:r[\da-z]*:|«r[\da-z]*»|_r_[\da-z]*_/g; // ids that React generates anew each time
const iconTags = new Set(['b', 'em', 'i', 'span', 'svg', 'use']);
const isSameElement = (was, is, how) => {
  const tag = localName(was);
  if (tag !== localName(is) || namespace(was) !== namespace(is) || framing.has(tag) || shadowOf(was) !== null || shadowOf(is) !== null) return false;
  const firm = firmNamesOf(was);
  if (firmNamesOf(is).length !== firm.length || firm.some(name => firmValue(was, name) !== firmValue(is, name))) return false;
  if (iconTags.has(tag) && firstChild(was) === null && attribute(was, 'class') !== attribute(is, 'class')) return false;
  return !fieldTags.has(tag) || how.anyText || touched === was || heldBy(was) === heldBy(is);
};
const firmNamesOf = element => attributeNames(element).filter(name => !stateOnly.has(name) && !(name === 'value' && isPassing(element)));
const isPassing = element => element instanceof HTMLInputElement && (textual(element) || inputType(element) === 'range' || inputType(element) === 'color' ||
  inputType(element) === 'hidden' && /csrf|token|nonce|authenticity/i.test(attribute(element, 'name') ?? ''));
const firmValue = (element, name) => attribute(element, name)?.replace(generatedId, '');
// The value of a field.
const heldBy = field => {
  if (field instanceof HTMLInputElement) return /^(hidden|file)$/.test(inputType(field)) ? '' : inputValue(field) + inputChecked(field);
  if (field instanceof HTMLTextAreaElement) return areaValue(field);
  return field instanceof HTMLSelectElement ? [...selectChosen(field)].slice(0, OPTION_WALK).map(optionValue).join('\n') : '';
};
