// Text from content, at most a few thousand characters. If there is no visible
// text, text that is hidden from sight but not from screen readers is used, and
// after that generated content.
const NOTHING = 0, DRAWN = 1, SPOKEN = 2, NAMED = 3; // of generated content: what is drawn, what is said, what is said of what is drawn
// Options of a content walk. hidden: include content that is not laid out.
// label: include invisible content. referring: aria-labelledby led here, so it
// is not followed again. whole: explicit names do not replace the text of a
// part. titles: include the title of every part. ariaHidden: include
// aria-hidden content.
const newWalk = (hidden, by = newNaming(NOTHING)) => ({by, hidden, left: NAME_LIMIT * 4, skip: null, root: null, clipped: false, generated: by.drawn, label: false, referring: false, whole: false, titles: false, ariaHidden: false, apart: false});
const contentName = (element, by = newNaming(NAMED)) => {
  if (isProtected(element)) return '';
  const walk = newWalk(false, by), control = controlRoles.has(roleOf(element));
  walk.root = element;
  const text = squeeze(seen(contentText(element, walk, 0)));
  if (text !== '' || !control) return text;
  walk.clipped = walk.titles = true;
  walk.generated = SPOKEN;
  walk.left = NAME_LIMIT;
  return squeeze(contentText(element, walk, 0));
};
const contentText = (element, walk, depth) => {
  if (depth > 100 || walk.left <= 0 || walk.by.left < 0) return '';
  const draws = walk.generated !== NOTHING && !walk.hidden && mayDraw(element), closed = tagOf(element) === 'details' && !hasAttribute(element, 'open');
  let text = '';
  eachChild(element, node => {
    if (walk.left <= 0 || --walk.by.left < 0) return;
    if (nodeType(node) === TEXT) {
      if (closed || !walk.hidden && !textShows(node, element, walk)) return;
      const data = limited(nodeData(node), walk.left);
      walk.left -= data.length;
      text += data;
    } else if (nodeType(node) === ELEMENT && !(closed && !isSummary(node))) {
      text += childText(node, walk, depth);
    }
  });
  for (const owned of ownedBy(element)) if (--walk.by.left >= 0) text += ' ' + childText(owned, walk, depth);
  if (!draws) return text;
  text = joined(generated(element, '::before', walk), text);
  return joined(text, generated(element, '::after', walk));
};
// The elements that aria-owns adds to an element.
const MOST_OWNED = 16;
const none = Object.freeze([]);
const ownedBy = element => {
  const ids = hasAttributes(element) ? attribute(element, 'aria-owns') : null;
  return ids === null ? none : ids.trim().split(/\s+/).slice(0, MOST_OWNED).map(id => idIn(rootOf(element), id)).filter(owned => owned !== null && !inFlat(owned, element) && !inFlat(element, owned));
};
const textShows = (node, element, walk) => {
  return walk.clipped || walk.label ? styleOf(element).visibility === 'visible' && !securityOf(element) : !hiddenText(node, element);
};
// Text of ::before and ::after: either what is drawn, or the alternative text
// after a slash, which screen readers say (CSS Generated Content 3).
const generated = (element, pseudo, walk) => {
  const style = getComputedStyle(element, pseudo), {content} = style;
  if (content === 'none' || content === 'normal' || content === '') return '';
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  if (walk.generated !== SPOKEN && (style.opacity === '0' || style.fontSize === '0px')) return '';
  const [shown, said] = contentTexts(content, element), text = walk.generated === DRAWN ? shown : said ?? shown;
  if (text === '' || style.display === 'inline' && (said === null || walk.generated === DRAWN)) return text;
  return pseudo === '::before' ? text + GAP : GAP + text;
};
// Marks a space that is kept only between two texts.
const GAP = '\u0000';
const joined = (one, other) => {
  if (one === '' || other === '') return (one + other).replaceAll(GAP, '');
  return (one + other).replaceAll(GAP, ' ');
};
// Parses a value of the CSS property content: the drawn text, and the text that
// screen readers say instead.
const contentTexts = (content, element) => {
  const parts = ['', null];
  let at = 0;
  for (const [token, name] of content.matchAll(contentToken)) {
    if (token === '/') parts[at = 1] = '';
    else if (token[0] === '"') parts[at] += unescaped(token.slice(1, -1));
    else if (name !== undefined) parts[at] += attribute(element, name) ?? '';
  }
  return parts;
};
const unescaped = text => text.replace(/\\(?:([\da-f]{1,6})\s?|(.))/gi, (all, code, character) => {
  if (code === undefined) return character;
  const number = parseInt(code, 16);
  return number > 0 && number <= 0x10FFFF ? String.fromCodePoint(number) : '';
});
const contentToken = /url\((?:"(?:[^"\\]|\\.)*"|[^)]*)\)|"(?:[^"\\]|\\.)*"|\/|attr\(\s*([\w-]+)[^)]*\)/g;
const speechless = new Set(['script', 'style', 'template', 'noscript']);
const childText = (node, walk, depth) => {
  const tag = tagOf(node);
  if (speechless.has(tag)) return '';
  if (tag === 'br' || node === walk.skip) return ' ';
  const display = displayOf(node);
  if (!walk.hidden && (display === 'none' || !walk.ariaHidden && attribute(node, 'aria-hidden') === 'true')) return '';
  if (tag === 'label' && passedBefore(node, walk.by)) return '';
  if (tag === 'img' && !walk.hidden && !walk.label && !walk.clipped && undrawnImage(node)) return ' ';
  const text = ownText(node, tag, walk, depth);
  if (display === 'inline' ? text === '' || !walk.apart : text === '' && emptyInline.test(display)) return text;
  return ' ' + text + ' ';
};
// Whether a person cannot see an image. One that is still loading has no size yet.
const isLoaded = getter(HTMLImageElement.prototype, 'complete');
const undrawnImage = image => {
  const context = contextOf(image), rect = rectOf(image);
  if (context.unseen !== '' || context.clip !== null && tiny(context.clip)) return true;
  return rect.width < 2 || rect.height < 2 ? rect.width > 0 || hasAttribute(image, 'src') && isLoaded(image) : outside(rect, context);
};
// A label that has named a control is not read again at its own place.
const passedBefore = (label, by) => {
  if (by.passed.includes(label)) return true;
  by.passed.push(label);
  return false;
};
const emptyInline = /^inline-(block|flex|grid)$/;
// The text of a part. Spaces separate it from the surrounding text if it is not
// the content of the part, or if the part is a control.
const ownText = (node, tag, walk, depth) => {
  const bare = !hasAttributes(node);
  let text = bare && plainTags.has(tag) || walk.whole ? '' : givenText(node, tag, walk);
  walk.apart = true;
  if (text === '' && (fieldTags.has(tag) || !bare && isProtected(node))) return ''; // the content of a field is its value
  if (text !== '') return text === null || !walk.hidden && styleOf(node).visibility !== 'visible' ? '' : charged(text, walk);
  text = contentText(node, walk, depth + 1);
  if (!bare && squeeze(text) === '' && depth < 8) {
    const instead = imageText(node) || partTitle(node, tag, walk);
    walk.apart = true;
    if (instead !== '') return charged(instead, walk);
  }
  walk.apart = tag === 'slot' || !(bare && plainTags.has(tag)) && separate.has(roleOf(node));
  return text;
};
const charged = (text, walk) => {
  walk.left -= text.length;
  return text;
};
const plainTags = new Set(['span', 'div', 'p', 'b', 'i', 'em', 'strong', 'small', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'td', 'th', 'tr', 'li', 'ul', 'u', 's', 'font', 'code']);
const separate = new Set(['button', 'checkbox', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'radio', 'switch', 'tab']);
// The title, used in place of content where the rules of naming allow it.
const partTitle = (node, tag, walk) => !walk.titles && !walk.hidden && !walk.ariaHidden && untitled.has(roleOf(node)) && !titled.has(tag) && !focusable(node) ? '' : attribute(node, 'title') ?? '';
// The text for an image that a style sheet draws in place of the element.
const imageText = element => {
  const {content} = styleOf(element);
  return content === 'normal' || content === '' ? '' : contentTexts(content, element)[1] ?? '';
};
// The name of a part that is not its content: empty if its content names it,
// null if nothing does.
const givenText = (node, tag, walk) => {
  const role = roleOf(node), embedded = embeddedRoles.has(role) && tag !== 'button';
  if (embedded && node !== walk.root) return embeddedValue(node, role, tag) || embeddedName(node, walk) || ' ';
  if (!walk.referring) {
    const referenced = referencedName(node, walk.by);
    if (referenced !== '') return referenced;
  }
  if (embedded) return givenLabel(node) || labelText(node, walk.by) || !labelable.has(tag) && textRoles.has(role) && embeddedValue(node, role, tag) || embeddedName(node, walk) || tag !== 'select' && textRoles.has(role) && embeddedValue(node, role, tag) || null;
  const label = givenLabel(node);
  if (label !== '') return label;
  if ((role === 'group' || role === 'tree') && walk.root !== null && roleOf(walk.root) === 'treeitem') return null;
  return nativeText(node, role, tag, walk);
};
const nativeText = (node, role, tag, walk) => {
  const native = nativeName(node, walk.by) ?? '';
  if (tag === 'input' && inputType(node) === 'file') return native + ': ' + (valueOf(node) || 'No file chosen');
  if (squeeze(native) !== '') return native;
  if (tag === 'input') return role === 'presentation' ? null : attribute(node, 'title') ?? ' ';
  if (tag === 'img') return role === 'presentation' ? null : hasAttribute(node, 'alt') ? ' ' : attribute(node, 'title') ?? ' ';
  return '';
};
const textRoles = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const embeddedRoles = new Set([...textRoles, 'listbox', 'slider', 'progressbar', 'meter', 'scrollbar']);
const embeddedName = (node, walk) => givenLabel(node) || nativeName(node, walk.by) || attribute(node, 'title') || null;
// What a control inside a label adds to the label's text: its value, unless the
// control is protected.
const embeddedValue = (element, role, tag) => {
  if (isProtected(element)) return '';
  if (tag === 'select') return [...selectChosen(element)].slice(0, MOST_CHOSEN).map(optionLabel).join(' ');
  if (role === 'listbox' || role === 'combobox' && tag !== 'input') {
    const chosen = chosenOptions(element);
    if (chosen !== '' || role === 'listbox') return chosen;
  }
  return valueOf(element);
};
const MOST_CHOSEN = 20;
const chosenOptions = element => {
  const lists = [element, ...ownedBy(element)];
  return lists.flatMap(list => [...allInElement(list, '[role~=option i][aria-selected=true i]')].slice(0, MOST_CHOSEN)).map(nameOf).join(' ');
};
