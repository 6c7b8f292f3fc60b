// Accessible names (accname 1.2) as Chromium computes them, with two
// differences. Text that a person cannot see counts only if there is no other.
// Text that a person sees always counts, whatever the role of its element is.
// TestNamesAreThoseOfChromium lists the other differences with their reasons.
const labelControl = getter(HTMLLabelElement.prototype, 'control');
const labelable = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
// The labels of the first few elements are looked up one by one, then all
// labels at once.
const FEW = 4;
const labelsOf = element => {
  if (!labelable.has(localName(element)) && !localName(element).includes('-')) return [];
  const root = rootOf(element);
  if (cache.asked++ < FEW) return labelsOfOne(element, root);
  let map = cache.labels.get(root);
  if (map === undefined) {
    cache.labels.set(root, map = new Map());
    for (const label of queryAll(root, 'label')) {
      const control = label instanceof HTMLLabelElement ? labelControl(label) : null;
      if (control !== null) map.set(control, [...(map.get(control) ?? []), label]);
    }
  }
  return map.get(element) ?? [];
};
const labelsOfOne = (element, root) => {
  const around = closest(element, 'label'), id = attribute(element, 'id');
  const found = id === null || id === '' ? [] : [...queryAll(root, 'label[for="' + CSS.escape(id) + '"]')];
  if (around !== null && !found.includes(around)) found.push(around);
  return found.filter(label => label instanceof HTMLLabelElement && labelControl(label) === element).sort((a, b) => position(a, b) & 4 ? -1 : 1);
};
const queryAll = (root, selector) => nodeType(root) === DOCUMENT ? allInDocument(root, selector)
  : nodeType(root) === FRAGMENT ? allInFragment(root, selector) : allInElement(root, selector);

const fromContent = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'term', 'tooltip', 'treeitem']);
const unnamed = new Set(['caption', 'code', 'deletion', 'emphasis', 'generic', 'insertion', 'paragraph', 'presentation', 'strong', 'subscript', 'superscript']);

const nameOf = element => {
  let name = cache.names.get(element);
  if (name === undefined) cache.names.set(element, name = clean(computeName(element)));
  return name;
};
// The state of the computation of one name: which generated content counts, how
// many more nodes may be visited, the nested labels that are being read, and
// the labels that were read.
const NAME_STEPS = 10000, NAME_NEST = 8;
const newNaming = drawn => ({drawn, left: NAME_STEPS, within: [], passed: []});
// The name without generated content, which may change when the pointer is over
// the element.
const bareNameOf = element => clean(computeName(element, NOTHING));
const computeName = (element, drawn = NAMED) => {
  const by = newNaming(drawn), referenced = referencedName(element, by);
  if (referenced !== '') return referenced;
  const label = givenLabel(element);
  if (label !== '') return label;
  const native = nativeName(element, by);
  if (native !== null && squeeze(native) !== '') return native;
  const role = roleOf(element);
  if ((fromContent.has(role) || role === 'math' && namespace(element) !== MATH) && (role !== 'row' || inGrid(element))) {
    const text = contentName(element, by);
    if (text !== '') return text;
  }
  return titleName(element, role, native);
};
// The title is the last choice. It does not apply to an element whose name is
// empty on purpose.
const titleName = (element, role, native) => {
  const tag = localName(element);
  if ((untitled.has(role) || rowGroups.has(tag)) && !titled.has(tag) && !tag.includes('-') && !focusable(element) || native !== null && squeeze(native) === '' && isHTML(element) && (emptyNames.has(tag) || tag === 'input' && hasAttribute(element, 'value'))) return '';
  return attribute(element, 'title') ?? '';
};
const untitled = new Set([...unnamed, 'definition', 'mark', 'suggestion', 'term', 'time']);
const rowGroups = new Set(['tbody', 'tfoot', 'thead']);
const titled = new Set(['abbr', 'label', 'legend', 'li']);
const emptyNames = new Set(['img', 'fieldset', 'table']);
const givenLabel = element => {
  const label = attribute(element, 'aria-label');
  return label !== null && squeeze(label) !== '' ? label : '';
};
// A row is named by its cells if it can be acted on as a whole.
const inGrid = row => {
  if (given(row) === 'row') return true;
  const table = ancestorTable(row);
  return table !== null && /grid$/.test(given(table));
};
const referencedName = (element, by) => {
  const ids = attribute(element, 'aria-labelledby');
  if (ids === null || ids.trim() === '') return '';
  const parts = [];
  for (const id of ids.trim().split(/\s+/).slice(0, 32)) {
    const target = idIn(rootOf(element), id);
    if (target !== null) parts.push(referenceText(target, element, by));
  }
  return squeeze(parts.join(' '));
};
// The text of an element that aria-labelledby refers to. It may be hidden. Its
// own aria-labelledby is not followed.
const referenceText = (target, element, by) => {
  if (by.within.length >= NAME_NEST || --by.left < 0) return '';
  by.within.push(target);
  if (localName(target) === 'label') by.passed.push(target);
  const walk = {...newWalk(!laidOut(target), by), label: true, referring: true, ariaHidden: attribute(target, 'aria-hidden') === 'true', root: target === element ? element : null};
  const text = squeeze(ownText(target, tagOf(target), walk, 0)) || (attribute(target, 'title') ?? '');
  by.within.pop();
  return text;
};

const childNamed = (element, tag) => {
  for (let at = firstChild(element); at !== null; at = nextSibling(at)) if (isElement(at) && localName(at) === tag) return at;
  return null;
};
// The text of an element that names another one: its visible text, or, if there
// is none, all of its text, as for screen readers.
const spokenText = (element, skip = null, by = newNaming(NAMED)) => {
  const walk = {...newWalk(false, by), skip}, text = squeeze(contentText(element, walk, 0));
  return text !== '' ? text : squeeze(contentText(element, {...newWalk(false, by), skip, label: true}, 0));
};
const textOf = element => spokenText(element);
const nativeName = (element, by) => {
  const tag = tagOf(element);
  switch (tag) {
    case 'input': return inputName(element, by);
    case 'textarea': return labelText(element, by) || fieldHint(element);
    case 'button': case 'select': case 'meter': case 'progress': case 'output': return labelText(element, by);
    case 'img': case 'area': return attribute(element, 'alt');
    case 'fieldset': return captionText(element, 'legend', by);
    case 'table': return captionText(element, 'caption', by) ?? attribute(element, 'summary');
    case 'option': case 'optgroup': return attribute(element, 'label');
    case 'svg:svg': case 'svg:a': return captionText(element, 'title', by) || attribute(element, 'xlink:title');
  }
  if (tag.startsWith('svg:')) return captionText(element, 'title', by);
  return textRoles.has(roleOf(element)) ? firstGiven(element, 'title', 'aria-placeholder') : null;
};
const captionText = (element, tag, by) => {
  const child = childNamed(element, tag);
  if (child === null) return null;
  return namespace(child) === SVG ? textContent(child) : laidOut(child) ? labelOwn(child, null, by) : '';
};
const labelText = (element, by) => {
  if (!labelable.has(localName(element)) && !localName(element).includes('-')) return '';
  return labelsOf(element).filter(laidOut).map(label => labelOwn(label, element, by)).filter(text => text !== '').join(' ');
};
// The text of a label, legend or caption for its control.
const labelOwn = (label, control, by) => {
  if (by.within.length >= NAME_NEST || by.passed.includes(label)) return '';
  by.within.push(label);
  by.passed.push(label);
  const text = referencedName(label, by) || givenLabel(label) || spokenText(label, control, by) || (attribute(label, 'title') ?? '');
  by.within.pop();
  return text;
};
const firstGiven = (element, ...names) => {
  for (const name of names) {
    const value = attribute(element, name);
    if (value !== null && squeeze(value) !== '') return value;
  }
  return null;
};
const fieldHint = element => firstGiven(element, 'title', 'placeholder', 'aria-placeholder');
const hinted = /^(text|search|tel|url|email|password|number)$/;
const inputName = (element, by) => {
  const label = labelText(element, by);
  if (label !== '') return label;
  switch (inputType(element)) {
    case 'submit': return attribute(element, 'value') ?? 'Submit';
    case 'reset': return attribute(element, 'value') ?? 'Reset';
    case 'button': return attribute(element, 'value');
    case 'image': return attribute(element, 'alt') || firstGiven(element, 'value', 'title') || 'Submit';
    case 'file': return 'Choose File';
  }
  return hinted.test(inputType(element)) ? fieldHint(element) : attribute(element, 'title');
};
