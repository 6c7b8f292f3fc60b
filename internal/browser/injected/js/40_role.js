// Roles: the first valid role of the role attribute, or else the role that
// HTML-AAM defines.
const ariaRoles = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
  'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion ' +
  'link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph ' +
  'presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript ' +
  'suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '));
const tagRoles = new Map(Object.entries({
  article: 'article', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition',
  del: 'deletion', details: 'group', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', html: 'document', iframe: 'iframe', frame: 'iframe',
  ins: 'insertion', li: 'listitem', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list',
  optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', search: 'search', strong: 'strong', sub: 'subscript',
  sup: 'superscript', table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row',
  ul: 'list', dl: 'list', canvas: 'canvas', video: 'video', audio: 'audio', 'svg:svg': 'img', 'svg:a': 'link', summary: 'button', address: 'group',
  object: 'object', embed: 'object', dfn: 'term', legend: 'generic', figcaption: 'caption',
}));
const inputRoles = {button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
  number: 'spinbutton', search: 'searchbox', email: 'textbox', tel: 'textbox', text: 'textbox', url: 'textbox', password: 'textbox',
  file: 'button', color: 'button', date: 'textbox', time: 'textbox', 'datetime-local': 'textbox', month: 'textbox', week: 'textbox'};
const inputType = element => (inputTypeOf(element) || 'text');
const inputTypeOf = getter(HTMLInputElement.prototype, 'type');

const given = element => {
  const value = attribute(element, 'role');
  if (value === null) return '';
  for (const word of value.toLowerCase().split(/\s+/)) if (ariaRoles.has(word)) return word === 'image' ? 'img' : word === 'none' ? 'presentation' : word === 'directory' ? 'list' : word;
  return '';
};
const globals = ['aria-label', 'aria-labelledby', 'aria-describedby', 'aria-live', 'aria-controls', 'aria-owns', 'aria-atomic', 'aria-busy', 'aria-current',
  'aria-details', 'aria-flowto', 'aria-keyshortcuts', 'aria-relevant', 'aria-roledescription', 'aria-braillelabel', 'aria-dropeffect', 'aria-grabbed'];
const hasGlobal = element => globals.some(name => hasAttribute(element, name));
const named = element => (attribute(element, 'aria-label') ?? '').trim() !== '' || (attribute(element, 'aria-labelledby') ?? '').trim() !== '' || (attribute(element, 'title') ?? '') !== '';

const roleOf = element => {
  let role = cache.roles.get(element);
  if (role === undefined) cache.roles.set(element, role = computeRole(element));
  return role;
};
const computeRole = element => {
  const role = given(element);
  if (role === 'presentation' && !focusable(element) && !hasGlobal(element)) return role;
  if (role !== '' && role !== 'presentation') return conditional(element, role);
  return nativeRole(element);
};
const conditional = (element, role) => {
  if (editorRoles.has(role) && isEditingHost(element)) return 'textbox';
  if ((role === 'form' || role === 'region') && !named(element)) return nativeRole(element);
  return role;
};
// Roles that editors give to their content and that do not say that it can be
// edited.
const editorRoles = new Set(['application', 'document', 'generic', 'group']);
const nativeRole = element => {
  const tag = tagOf(element);
  if (tag.startsWith('svg:')) return svgRole(element, tag);
  if (tag === '' && localName(element) === 'math' && namespace(element) === MATH) return 'math';
  switch (tag) {
    case 'a': case 'area': return hasAttribute(element, 'href') ? 'link' : 'generic';
    case 'img': return imageRole(element);
    case 'input': return inputRole(element);
    case 'select': return isListBox(element) ? 'listbox' : 'combobox';
    case 'header': return sectioned(element) ? 'generic' : 'banner';
    case 'footer': return sectioned(element) ? 'generic' : 'contentinfo';
    case 'section': return named(element) ? 'region' : 'generic';
    case 'form': return 'form';
    case 'aside': return sectioned(element, true) && !named(element) ? 'generic' : 'complementary';
    case 'td': case 'th': return cellRole(element, tag);
    case 'tr': case 'tbody': case 'thead': case 'tfoot': return tableIsPresentation(element) ? 'generic' : tagRoles.get(tag);
    case 'li': return inList(element) ? 'listitem' : 'generic';
    case 'summary': return isSummary(element) ? 'button' : 'generic';
  }
  const role = tagRoles.get(tag) ?? 'generic';
  // Chromium reports an editable element as generic; agents need to know that
  // it can be edited.
  return isEditingHost(element) && (role === 'generic' || role === 'paragraph' || role === 'code') ? 'textbox' : role;
};
const svgShapes = new Set(['circle', 'ellipse', 'line', 'path', 'polygon', 'polyline', 'rect', 'use'].map(name => 'svg:' + name));
const svgRole = (element, tag) => {
  if (tag === 'svg:a') return hasAttribute(element, 'href') || hasAttribute(element, 'xlink:href') ? 'link' : 'generic';
  if (tag === 'svg:svg') return 'img';
  if (tag === 'svg:image' || svgShapes.has(tag) && childNamed(element, 'title') !== null) return 'img';
  return 'generic';
};
const imageRole = element => {
  const alt = attribute(element, 'alt');
  return alt === '' && !named(element) && !focusable(element) ? 'presentation' : 'img';
};
const inputRole = element => {
  const type = inputType(element);
  if (type === 'hidden') return 'presentation';
  if (hasAttribute(element, 'list') && /^(text|search|tel|url|email)$/.test(type)) return 'combobox';
  if (type === 'checkbox' && hasAttribute(element, 'switch')) return 'switch';
  if (type === 'checkbox' && hasAttribute(element, 'aria-pressed')) return 'button';
  return inputRoles[type] ?? 'textbox';
};
const selectMultiple = getter(HTMLSelectElement.prototype, 'multiple');
const selectSize = getter(HTMLSelectElement.prototype, 'size');
const isListBox = element => selectMultiple(element) || selectSize(element) > 1;
const sectioning = new Set(['article', 'aside', 'main', 'nav', 'section']);
const sectionRoles = new Set(['article', 'complementary', 'main', 'navigation', 'region']);
const sectioned = (element, loosely) => {
  for (let at = flatParent(element); at !== null; at = flatParent(at)) {
    const tag = tagOf(at);
    if (loosely && tag === 'main') continue;
    if (sectioning.has(tag) || sectionRoles.has(given(at))) return true;
  }
  return false;
};
const ancestorTable = element => {
  for (let at = flatParent(element); at !== null; at = flatParent(at)) if (tagOf(at) === 'table') return at;
  return null;
};
const tableIsPresentation = element => {
  const table = ancestorTable(element);
  return table === null || roleOf(table) === 'presentation';
};
const cellRole = (element, tag) => {
  const table = ancestorTable(element);
  if (table === null || roleOf(table) === 'presentation') return 'generic';
  const role = given(table);
  const cell = role === 'grid' || role === 'treegrid' ? 'gridcell' : 'cell';
  if (tag === 'td') return cell;
  const scope = (attribute(element, 'scope') ?? '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  return looksLikeRowHeader(element) ? 'rowheader' : 'columnheader';
};
// A header cell without a scope is a row header if a data cell follows it in
// its row.
const looksLikeRowHeader = element => {
  const row = parentNode(element);
  for (let at = row && firstChild(row); at; at = nextSibling(at)) if (isElement(at) && localName(at) === 'td') return true;
  return false;
};
const inList = element => {
  const parent = flatParent(element);
  if (parent === null) return false;
  const tag = tagOf(parent);
  return (tag === 'ul' || tag === 'ol' || tag === 'menu') ? given(parent) === '' || given(parent) === 'list' || given(parent) === 'presentation' && roleOf(parent) !== 'presentation' : given(parent) === 'list';
};
const isSummary = element => {
  const parent = parentNode(element);
  if (!isElement(parent) || tagOf(parent) !== 'details') return false;
  for (let at = firstChild(parent); at !== null; at = nextSibling(at)) if (isElement(at) && tagOf(at) === 'summary') return at === element;
  return false;
};
const designed = getter(Document.prototype, 'designMode');
const isEditingHost = element => {
  if (element === bodyOf(document) && designed(document) === 'on') return true;
  const value = attribute(element, 'contenteditable');
  return value !== null && /^(|true|plaintext-only)$/i.test(value);
};

// Whether an element is disabled or can have the focus.
const disabledOf = element => {
  switch (tagOf(element)) {
    case 'button': case 'input': case 'select': case 'textarea': case 'option': case 'optgroup': case 'fieldset': return matches(element, ':disabled');
  }
  return false;
};
const ariaDisabled = element => {
  let off = cache.off.get(element);
  if (off !== undefined) return off;
  const value = attribute(element, 'aria-disabled'), parent = flatParent(element);
  off = value === 'true' || (value !== 'false' && parent !== null && ariaDisabled(parent));
  cache.off.set(element, off);
  return off;
};
const disabled = element => disabledOf(element) || ariaDisabled(element);
const focusable = element => {
  switch (tagOf(element)) {
    case 'button': case 'select': case 'textarea': return !disabledOf(element);
    case 'input': return !disabledOf(element) && inputType(element) !== 'hidden';
    case 'a': case 'area': case 'svg:a': if (hasAttribute(element, 'href')) return true; break;
    case 'iframe': return true;
    case 'summary': if (isSummary(element)) return true; break;
    case 'audio': case 'video': if (hasAttribute(element, 'controls')) return true; break;
  }
  if (isEditingHost(element)) return true;
  const index = attribute(element, 'tabindex');
  return index !== null && /^\s*[+-]?\d/.test(index);
};
