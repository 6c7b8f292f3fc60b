// Which elements can be acted on, and their states.
const listenerAttributes = new Set(['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'ondblclick', 'ontouchstart', 'ng-click', 'data-ng-click', 'jsaction', 'v-on:click', '@click', 'x-on:click', 'hx-get', 'hx-post']);
const interactive = (element, role) => {
  switch (tagOf(element)) {
    case 'html': case 'iframe': case 'frame': return false;
    case 'body': return isEditingHost(element);
    case 'button': case 'select': case 'textarea': return !disabledOf(element);
    case 'input': return inputType(element) !== 'hidden' && !disabledOf(element);
    case 'a': case 'area': case 'svg:a': if (role === 'link' && hasAttribute(element, 'href')) return true; break;
    case 'summary': if (isSummary(element)) return true; break;
    case 'audio': case 'video': return hasAttribute(element, 'controls');
    case 'option': case 'optgroup': return false;
    case 'label': return drawsControl(element);
  }
  if (actingRoles.has(role)) return true;
  if (isEditingHost(element)) return true;
  const index = attribute(element, 'tabindex');
  if (index !== null && parseInt(index, 10) >= 0) return true;
  return listens(element) || pointed(element) || actsOnPointer(element) || dragged(element) || takesDrops(element);
};
const attributeNames = method(Element.prototype, 'getAttributeNames');
const hasAttributes = method(Element.prototype, 'hasAttributes');
const listens = element => hasAttributes(element) && attributeNames(element).some(name => listenerAttributes.has(name));
const actingRoles = new Set(['button', 'checkbox', 'combobox', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem']);
// A cursor for pressing or dragging that differs from the parent's is a sign of
// a listener.
const pointed = element => {
  const cursor = styleOf(element).cursor;
  if (cursor !== 'pointer' && cursor !== 'grab' && cursor !== 'move') return false;
  const parent = flatParent(element);
  return parent !== null && styleOf(parent).cursor !== cursor;
};
// A label counts when its control is not visible itself.
const drawsControl = label => {
  const control = labelControl(label);
  return control !== null && !disabledOf(control) && !pointable(control) && !isCheckable(control);
};

// Whether a person can see a control, or what stands for it. It has a box that can
// be reached and is not made invisible. Pages draw their own checkboxes and file inputs by
// placing an invisible control over something visible.
const controlSeen = element => {
  let known = cache.seen.get(element);
  if (known === undefined) cache.seen.set(element, known = judgeControl(element));
  return known;
};
const judgeControl = element => ownSeen(element) || standInOf(element) !== null;
const ownSeen = element => {
  if (!laidOut(element)) return false;
  if (isArea(element)) return ownSeen(imageOf(element)) && hasSize(rectOf(element), element, 1) && !outside(rectOf(element), contextOf(imageOf(element)));
  const editor = drawnEditor(element);
  if (editor !== null) return controlSeen(editor);
  const context = contextOf(element);
  if (context.unseen !== '' && !(context.unseen === 'opacity' && +styleOf(element).opacity < BARELY && /^(input|select)$/.test(localName(element)))) return false;
  const rect = seenBox(element);
  if (rect === null || outside(rect, context)) return false;
  if (coveredControl(element)) return false;
  return context.clip === null || !tiny(intersect(context.clip, rect)) || (rect.width >= 3 && rect.height >= 3 && inside(context.clip, rect));
};
const seenBox = element => {
  const rect = boxOf(element);
  if (rect.width > 1 && rect.height > 1) return rect;
  for (const child of [...allInElement(element, '*')].slice(0, 12)) {
    const inner = rectOf(child);
    if (inner.width > 1 && inner.height > 1 && laidOut(child)) return inner;
  }
  return null;
};

const tristate = value => value === 'mixed' ? 'mixed' : value === 'true' ? 'true' : value === 'false' ? 'false' : undefined;
const aria = (element, name) => {
  const value = attribute(element, name);
  return value === null || value === '' || value === 'undefined' ? undefined : value.toLowerCase();
};
const checkedRoles = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
const selectedRoles = new Set(['option', 'tab', 'row', 'gridcell', 'treeitem', 'columnheader', 'rowheader']);
// Roles whose state is given only by ARIA attributes and the focus.
const stillRoles = new Set(['cell', 'columnheader', 'heading', 'list', 'listitem', 'row', 'rowheader', 'table', 'term', 'definition', 'article', 'region', 'navigation', 'main']);
const ownStates = new Set(['button', 'dialog', 'fieldset', 'input', 'optgroup', 'option', 'select', 'summary', 'textarea']);
const isStill = (element, tag, role) => stillRoles.has(role) && !ownStates.has(tag) &&
  (!hasAttributes(element) || !attributeNames(element).some(name => name.startsWith('aria-')));
const statesOf = (element, role) => {
  const s = {}, tag = tagOf(element);
  if (isStill(element, tag, role)) return element === activeElementOnce() ? {focused: true} : undefined;
  if (checkedRoles.has(role)) s.checked = checkedState(element, tag);
  if (role === 'button') s.pressed = tristate(aria(element, 'aria-pressed'));
  if (selectedRoles.has(role)) s.selected = aria(element, 'aria-selected') === 'true' ? 'true' : undefined;
  s.expanded = expandedState(element, tag);
  const current = aria(element, 'aria-current');
  if (current !== undefined && current !== 'false') s.current = clean(current, 20);
  const popup = aria(element, 'aria-haspopup');
  if (popup !== undefined && popup !== 'false') s.popup = popup === 'true' ? 'menu' : clean(popup, 20);
  if (disabledOf(element) || (controlRoles.has(role) && ariaDisabled(element))) s.disabled = true;
  addFieldStates(element, tag, role, s);
  addBounds(element, tag, role, s);
  if (aria(element, 'aria-busy') === 'true') s.busy = true;
  if ((role === 'dialog' || role === 'alertdialog') && (aria(element, 'aria-modal') === 'true' || (tag === 'dialog' && matches(element, ':modal')))) s.modal = true;
  for (const key in s) if (s[key] !== undefined) return s;
  return undefined;
};
const checkedOf = node => {
  const element = elementOf(node);
  return element !== null && checkedRoles.has(roleOf(element)) ? checkedState(element, tagOf(element)) : '';
};
const checkedState = (element, tag) => {
  if (tag === 'input') return inputIndeterminate(element) ? 'mixed' : String(inputChecked(element));
  return tristate(aria(element, 'aria-checked')) ?? 'false';
};
const expandedState = (element, tag) => {
  if (tag === 'summary' && isSummary(element)) return String(hasAttribute(parentNode(element), 'open'));
  const value = aria(element, 'aria-expanded');
  return value === 'true' || value === 'false' ? value : undefined;
};
const fieldRoles = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'checkbox', 'radiogroup', 'gridcell', 'tree', 'slider', 'switch']);
const addFieldStates = (element, tag, role, s) => {
  if (element === activeElementOnce()) s.focused = true;
  if (!fieldRoles.has(role)) return;
  const native = tag === 'input' || tag === 'select' || tag === 'textarea';
  if ((native && matches(element, ':required')) || aria(element, 'aria-required') === 'true') s.required = true;
  const invalid = aria(element, 'aria-invalid');
  if ((invalid !== undefined && invalid !== 'false') || (native && matches(element, ':user-invalid'))) s.invalid = true;
  if (((tag === 'input' || tag === 'textarea') && hasAttribute(element, 'readonly')) || aria(element, 'aria-readonly') === 'true') s.readonly = true;
  if ((tag === 'textarea' || aria(element, 'aria-multiline') === 'true' || isEditingHost(element)) && role === 'textbox') s.multiline = true;
};
// The bounds of a field as its author wrote them, and the format of its value.
const bounded = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'number', 'range']);
const forms = {date: 'YYYY-MM-DD', time: 'HH:MM', month: 'YYYY-MM', week: 'YYYY-Www', 'datetime-local': 'YYYY-MM-DDTHH:MM'};
const addBounds = (element, tag, role, s) => {
  const at = name => clean(attribute(element, name) ?? '', 30) || undefined;
  if (tag !== 'input') {
    if (role === 'slider' || role === 'spinbutton') Object.assign(s, {min: at('aria-valuemin'), max: at('aria-valuemax')});
    return;
  }
  const type = inputType(element);
  if (!bounded.has(type)) return;
  const step = at('step');
  Object.assign(s, {min: at('min'), max: at('max'), step: step === 'any' ? undefined : step, format: forms[type]});
  if (/^(time|datetime-local)$/.test(type) && step !== undefined && +step % 60 !== 0) s.format += ':SS';
};
const activeElementOnce = () => {
  if (cache.active === undefined) {
    const active = activeElement();
    cache.active = active === bodyOf(document) || active === documentElement(document) ? null : active;
  }
  return cache.active;
};
const levelOf = (element, role) => {
  if (role !== 'heading' && role !== 'treeitem' && role !== 'listitem' && role !== 'row') return undefined;
  const level = parseInt(attribute(element, 'aria-level') ?? '', 10);
  if (level > 0 && level < 1000) return level;
  if (role !== 'heading') return undefined;
  return /^h[1-6]$/.test(localName(element)) ? +localName(element)[1] : 2;
};
