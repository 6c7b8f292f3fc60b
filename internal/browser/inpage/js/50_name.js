// Accessible names (accname 1.2), as Chromium computes them, with two
// differences: of generated content what is drawn counts, and in controls only,
// and text that a person cannot see counts only where there is nothing else.
const labelControl = getter(HTMLLabelElement.prototype, 'control');
const labelable = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
// For a few elements each is looked up by itself, for many all labels at once.
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
// The name without what style sheets write: pointing at an element may change that.
const bareNameOf = element => clean(computeName(element, NOTHING));
const computeName = (element, drawn = DRAWN) => {
  const referenced = referencedName(element);
  if (referenced !== '') return referenced;
  const label = attribute(element, 'aria-label');
  if (label !== null && squeeze(label) !== '') return label;
  const native = nativeName(element);
  if (native !== null && squeeze(native) !== '') return native;
  const role = roleOf(element);
  if (fromContent.has(role) && (role !== 'row' || inGrid(element))) {
    const text = contentName(element, drawn);
    if (text !== '') return text;
  }
  return attribute(element, 'title') ?? '';
};
// A row is named by its cells where it can be acted on as a whole.
const inGrid = row => {
  if (given(row) === 'row') return true;
  const table = ancestorTable(row);
  return table !== null && /grid$/.test(given(table));
};
const referencedName = element => {
  const ids = attribute(element, 'aria-labelledby');
  if (ids === null || ids.trim() === '') return '';
  const parts = [];
  for (const id of ids.trim().split(/\s+/).slice(0, 32)) {
    const target = idIn(rootOf(element), id);
    if (target !== null) parts.push(referenceText(target));
  }
  return squeeze(parts.join(' '));
};
// The text of a node that aria-labelledby names: it may be hidden.
const referenceText = target => {
  const label = attribute(target, 'aria-label');
  if (label !== null && squeeze(label) !== '') return label;
  const native = nativeName(target);
  if (native !== null && squeeze(native) !== '') return native;
  const walk = {...newWalk(!laidOut(target)), label: true};
  walk.root = target;
  return squeeze(contentText(target, walk, 0)) || (attribute(target, 'title') ?? '');
};

const childNamed = (element, tag) => {
  for (let at = firstChild(element); at !== null; at = nextSibling(at)) if (isElement(at) && localName(at) === tag) return at;
  return null;
};
// What names something else: what of it can be seen, or, where that is nothing,
// all of it, as a text for screen readers.
const spokenText = (element, skip = null) => {
  const walk = {...newWalk(false), skip}, text = squeeze(contentText(element, walk, 0));
  return text !== '' ? text : squeeze(contentText(element, {...newWalk(false), skip, label: true}, 0));
};
const textOf = element => spokenText(element);
const nativeName = element => {
  const tag = tagOf(element);
  switch (tag) {
    case 'input': return inputName(element);
    case 'select': case 'textarea': case 'meter': case 'progress': case 'output': return labelText(element) || fieldHint(element);
    case 'button': return labelText(element);
    case 'img': case 'area': return attribute(element, 'alt');
    case 'fieldset': return captionText(element, 'legend');
    case 'table': return captionText(element, 'caption');
    case 'option': case 'optgroup': return attribute(element, 'label');
    case 'svg:svg': case 'svg:a': return captionText(element, 'title') || attribute(element, 'xlink:title');
  }
  return tag.startsWith('svg:') ? captionText(element, 'title') : null;
};
const captionText = (element, tag) => {
  const child = childNamed(element, tag);
  return child === null ? null : namespace(child) === SVG ? textContent(child) : textOf(child);
};
const labelText = element => {
  return labelsOf(element).filter(laidOut).map(label => {
    const own = attribute(label, 'aria-label');
    return own !== null && squeeze(own) !== '' ? own : spokenText(label, element);
  }).filter(text => text !== '').join(' ');
};
const fieldHint = element => attribute(element, 'title') || attribute(element, 'placeholder') || attribute(element, 'aria-placeholder');
const inputName = element => {
  const type = inputType(element);
  const label = labelText(element);
  if (label !== '') return label;
  switch (type) {
    case 'submit': return attribute(element, 'value') ?? (attribute(element, 'title') || 'Submit');
    case 'reset': return attribute(element, 'value') ?? (attribute(element, 'title') || 'Reset');
    case 'button': return attribute(element, 'value');
    case 'image': return attribute(element, 'alt') ?? attribute(element, 'value') ?? (attribute(element, 'title') || 'Submit');
    case 'file': return attribute(element, 'title') || 'Choose File';
  }
  return fieldHint(element);
};

// Text from content, at most a few thousand characters of it. Where nothing
// visible is there, text hidden from the eye but not from screen readers
// counts, and then generated content.
const NOTHING = 0, DRAWN = 1, SPOKEN = 2; // of generated content
const newWalk = hidden => ({hidden, left: NAME_LIMIT * 4, skip: null, root: null, clipped: false, generated: NOTHING, label: false});
const contentName = (element, drawn) => {
  const walk = newWalk(false), control = controlRoles.has(roleOf(element));
  walk.root = element;
  if (control) walk.generated = drawn;
  const text = squeeze(seen(contentText(element, walk, 0)));
  if (text !== '' || !control) return text;
  walk.clipped = true;
  walk.generated = SPOKEN;
  walk.left = NAME_LIMIT;
  return squeeze(contentText(element, walk, 0));
};
const contentText = (element, walk, depth) => {
  if (depth > 100 || walk.left <= 0) return '';
  let text = walk.generated === NOTHING ? '' : generated(element, '::before', walk.generated);
  const closed = tagOf(element) === 'details' && !hasAttribute(element, 'open');
  eachChild(element, node => {
    if (walk.left <= 0) return;
    if (nodeType(node) === TEXT) {
      if (closed || !walk.hidden && !textShows(node, element, walk)) return;
      const data = limited(nodeData(node), walk.left);
      walk.left -= data.length;
      text += data;
    } else if (nodeType(node) === ELEMENT && !(closed && !isSummary(node))) {
      text += childText(node, walk, depth);
    }
  });
  return walk.generated === NOTHING ? text : text + generated(element, '::after', walk.generated);
};
const textShows = (node, element, walk) => {
  return walk.clipped || walk.label ? styleOf(element).visibility === 'visible' : !hiddenText(node, element);
};
// Text that a style sheet writes before or after what an element holds: what is
// drawn of it, or what a screen reader says, which may be another text after a
// slash (CSS Generated Content 3, alternative text).
const generated = (element, pseudo, mode) => {
  const style = getComputedStyle(element, pseudo), content = style.content;
  if (content === 'none' || content === 'normal' || content === '') return '';
  if (style.display === 'none' || mode === DRAWN && (style.visibility !== 'visible' || style.opacity === '0' || style.fontSize === '0px')) return '';
  const parts = ['', ''];
  let spoken = 0;
  for (const [token, name] of content.matchAll(contentToken)) {
    if (token === '/') spoken = 1;
    else if (token[0] === '"') parts[spoken] += token.slice(1, -1).replace(/\\(.)/g, '$1');
    else parts[spoken] += attribute(element, name) ?? '';
  }
  const text = spoken === 1 && mode === SPOKEN ? parts[1] : parts[0];
  return style.display === 'inline' ? text : ' ' + text + ' ';
};
const contentToken = /"(?:[^"\\]|\\.)*"|\/|attr\(\s*([\w-]+)[^)]*\)/g;
const childText = (node, walk, depth) => {
  const tag = tagOf(node);
  if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript' || node === walk.skip) return '';
  if (tag === 'br') return ' ';
  if (!walk.hidden && (attribute(node, 'aria-hidden') === 'true' || displayOf(node) === 'none')) return '';
  const text = ownText(node, tag, walk, depth);
  const display = displayOf(node);
  return display === 'inline' || display === 'contents' ? text : ' ' + text + ' ';
};
const ownText = (node, tag, walk, depth) => {
  const label = attribute(node, 'aria-label');
  if (label !== null && squeeze(label) !== '') return label;
  if (tag === 'img' || tag === 'area') return attribute(node, 'alt') ?? attribute(node, 'title') ?? '';
  const role = roleOf(node);
  if (tag === 'svg:svg') return nativeName(node) ?? '';
  if (embeddedValue.has(role) && tag !== 'button') {
    if (walk.root === null || walk.root !== node) return isProtected(node) ? '' : valueOf(node);
  }
  if (role === 'group' || role === 'tree') if (walk.root !== null && roleOf(walk.root) === 'treeitem') return '';
  if (tag === 'input') return inputName(node) ?? '';
  const text = contentText(node, walk, depth + 1);
  return squeeze(text) === '' && depth < 8 ? attribute(node, 'title') ?? text : text;
};
const embeddedValue = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);
