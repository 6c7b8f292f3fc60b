// Folds runs of similar siblings: the first ones show what the others are like.
// Siblings are similar when they contain the same kinds of elements, with the
// same classes and in the same states. So nothing that differs is left unread:
// another state, a heading, an alert or a filled field. Only the tree is
// examined, which costs a fraction of reading the siblings.
const RUN = 20, LEAF_RUN = 50, RUN_READ = 10; // length of a run; of a run of small elements such as the days of a calendar; elements of a run that are read
const FOLD_WORK = 200000, FOLD_SIZE = 1000; // elements examined in one walk, and in one sibling
const LONG_TEXT = 80; // an element with this many characters of its own text is prose
const elementCount = getter(Element.prototype, 'childElementCount');
const inputDefault = getter(HTMLInputElement.prototype, 'defaultValue');
const areaDefault = getter(HTMLTextAreaElement.prototype, 'defaultValue');
const optionDefault = getter(HTMLOptionElement.prototype, 'defaultSelected');
// Elements that always form runs, and elements that do so only if they contain
// something to act on or a picture. Paragraphs and headings never form runs.
const runTags = new Set(['a', 'article', 'button', 'img', 'li', 'tbody', 'tr']);
const runRoles = new Set(['article', 'button', 'gridcell', 'img', 'link', 'listitem', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'row', 'rowgroup', 'treeitem']);
const boxTags = new Set(['div', 'section']);
const boxRoles = new Set(['generic', 'group', 'presentation', 'region']);
const actingTags = new Set(['a', 'button', 'img', 'input', 'select', 'textarea']);
const stateAttributes = ['role', 'type', 'aria-current', 'aria-selected', 'aria-checked', 'aria-pressed', 'aria-expanded', 'aria-invalid', 'aria-disabled',
  'aria-hidden', 'aria-busy', 'aria-live', 'aria-modal', 'open', 'hidden', 'inert', 'disabled', 'contenteditable'];
const stateSelector = stateAttributes.filter(name => name !== 'type').map(name => '[' + name + ']').join() + ',[style*=none],[style*=hidden],input,select,textarea';

// The kind of each child that belongs to a run; null when there are no runs.
const runsIn = (element, walker) => {
  if (walker.compared > FOLD_WORK || elementCount(element) < RUN && shadowOf(element) === null && localName(element) !== 'slot') return null;
  const siblings = standingAlone(element);
  if (siblings === null || siblings.length < RUN) return null;
  const kinds = new Map(), runs = new Map();
  let any = false;
  for (const sibling of siblings) {
    const parts = partsOf(sibling, walker);
    if (parts === null) continue;
    const shape = [...parts].join();
    let kind = kinds.get(shape);
    if (kind === undefined) kinds.set(shape, kind = {shape, count: 0, enough: parts.has(LEAF) ? LEAF_RUN : RUN, read: 0, fresh: 0});
    if (++kind.count >= kind.enough) any = true;
    runs.set(sibling, kind);
    if (walker.trace !== 0) walker.traces.set(sibling, walker.trace);
  }
  if (!any) return null;
  walker.lined(element, siblings);
  return runs;
};
// The element children; null when there is text between them.
const standingAlone = element => {
  const siblings = [];
  let text = false;
  eachChild(element, node => {
    if (nodeType(node) === ELEMENT) siblings.push(node);
    else if (nodeType(node) === TEXT && nodeData(node).trim() !== '') text = true;
  });
  return text ? null : siblings;
};
// The parts by which an element is compared; null for an element that is always
// read.
const partsOf = (element, walker) => {
  const role = given(element), tag = localName(element), box = role === '' ? boxTags.has(tag) || tag.includes('-') : boxRoles.has(role);
  if (!box && !(role === '' ? runTags : runRoles).has(role || tag) || inFocusPath(element) || box && isProse(element)) return null;
  const parts = new Set();
  walker.trace = 0;
  if (!gather(element, rootOf(element), parts, walker) || box && !parts.has(ACTS) || isQuestion(parts, role || tag)) return null;
  if (!box && isLeaf(element, role || tag)) {
    parts.add(LEAF);
    if (/\p{L}/u.test(textContent(element))) parts.add('worded'); // "Next" is not one of the numbers of pages
  }
  return parts;
};
const rowKinds = new Set(['article', 'row', 'rowgroup', 'tbody', 'tr']);
// Whether everything that can be acted on is fields, as in the lines of a form.
// A checkbox at the start of a row does not count as a field.
const isQuestion = (parts, kind) => !parts.has(DOES) && (parts.has(FIELD) || parts.has(CHECK) && !rowKinds.has(kind));
const isLeaf = (element, kind) => {
  const child = firstElement(element);
  return !rowKinds.has(kind) && (child === null || elementCount(element) === 1 && firstElement(child) === null);
};
const isProse = element => {
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === TEXT && nodeData(node).trim().length > LONG_TEXT) return true;
  }
  return false;
};
// Adds the kinds of the elements in a subtree, each once, so that repeated
// elements make no difference. Returns false when that is too much work.
const gather = (element, root, parts, walker) => {
  if (walker.compared > FOLD_WORK) return false;
  const inner = queryAll(element, '*');
  walker.compared += inner.length + 1;
  if (inner.length > FOLD_SIZE) return false;
  let states = walker.stated.get(root);
  if (states === undefined) walker.stated.set(root, states = new Set(queryAll(root, stateSelector)));
  if (nodeType(element) === ELEMENT && !addPart(element, states, parts, walker)) return false;
  for (let i = 0; i < inner.length; i++) if (!addPart(inner[i], states, parts, walker)) return false;
  return true;
};
const addPart = (element, states, parts, walker) => {
  const tag = localName(element);
  if (tag === 'option') return true;
  parts.add(partOf(tag, attribute(element, 'class') ?? ''));
  if (actingTags.has(tag)) parts.add(ACTS);
  if (tag === 'a' || tag === 'button') parts.add(DOES);
  if (states.has(element)) {
    parts.add(stateOf(element, tag, parts));
    walker.traceField(element, tag);
  }
  const shadow = shadowOf(element);
  if (shadow === null) return true;
  walker.entering(shadow);
  return gather(shadow, shadow, parts, walker);
};
// A number for each combination of tag and classes, ignoring digits in class
// names. It stays the same across walks until there are too many.
const ACTS = -1, LEAF = -2, FIELD = -3, CHECK = -4, DOES = -5, PARTS = 20000;
const knownParts = {byTag: new Map(), kept: 0, last: 0};
const partOf = (tag, names) => {
  let byNames = knownParts.byTag.get(tag);
  if (byNames === undefined) knownParts.byTag.set(tag, byNames = new Map());
  let part = byNames.get(names);
  if (part !== undefined) return part;
  const plain = names.replace(/\d+/g, '');
  part = plain === names ? ++knownParts.last : partOf(tag, plain);
  byNames.set(names, part);
  knownParts.kept++;
  return part;
};
const boundParts = () => {
  if (knownParts.kept > PARTS) Object.assign(knownParts, {byTag: new Map(), kept: 0}); // last is not reset, so that no number is used twice
};
const stateOf = (element, tag, parts) => {
  let state = tag;
  for (const name of stateAttributes) {
    const value = attribute(element, name);
    if (value !== null) state += ' ' + name + '=' + value;
  }
  const role = given(element), kind = fieldKind(element, tag, role);
  if (kind !== 0) parts.add(kind);
  else if (actingRoles.has(role)) parts.add(DOES);
  if (kind !== 0 || actingRoles.has(role)) parts.add(ACTS);
  if (/(display|visibility)\s*:\s*(none|hidden)/.test(attribute(element, 'style') ?? '')) state += ' unseen';
  return state + fieldState(element, tag);
};
const fieldKind = (element, tag, role) => {
  if (role === 'checkbox' || role === 'switch') return CHECK;
  if (role === 'radio' || role !== 'gridcell' && fieldRoles.has(role) || isEditingHost(element) || tag === 'select' || tag === 'textarea') return FIELD;
  if (tag !== 'input') return 0;
  const type = inputType(element);
  if (type === 'checkbox') return CHECK;
  return /^(button|submit|reset|image)$/.test(type) ? DOES : type === 'hidden' ? 0 : FIELD;
};
const fieldState = (element, tag) => {
  if (tag === 'input' && element instanceof HTMLInputElement) {
    return ' ' + [inputChecked(element), inputIndeterminate(element), inputValue(element) === '', inputValue(element) === inputDefault(element), matches(element, ':user-invalid')].join();
  }
  if (tag === 'textarea' && element instanceof HTMLTextAreaElement) return ' ' + [areaValue(element) === '', areaValue(element) === areaDefault(element), matches(element, ':user-invalid')].join();
  if (tag !== 'select' || !(element instanceof HTMLSelectElement)) return '';
  return ' ' + [[...selectOptions(element)].slice(0, OPTION_WALK).every(option => optionSelected(option) === optionDefault(option)), matches(element, ':user-invalid')].join();
};
// The focused element and its ancestors.
const inFocusPath = element => {
  if (cache.focusPath === undefined) {
    cache.focusPath = new Set();
    for (let at = activeElementOnce(); at !== null; at = flatParent(at)) cache.focusPath.add(at);
  }
  return cache.focusPath.has(element);
};
// The number of rows that a sibling stands for.
const weightOf = element => localName(element) === 'tbody' && isHTML(element) ? Math.max(elementCount(element), 1) : 1;
