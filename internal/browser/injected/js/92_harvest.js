// What operators and agents extract from a frame: its HTML, its links, and the
// texts and attributes of elements that selectors match.
const HTML_LIMIT = 8 << 20, HARVEST_LIMIT = 1 << 20, PIECE_LIMIT = 1 << 16;
const innerOf = getter(Element.prototype, 'innerHTML');
const outerOf = getter(Element.prototype, 'outerHTML');
const html = ({node}) => {
  const element = node ? elementOf(node) : documentElement(document);
  if (element === null) return {gone: node > 0, html: ''};
  const whole = node ? innerOf(element) : outerOf(element);
  return whole.length > HTML_LIMIT ? {html: limited(whole, HTML_LIMIT), cut: true} : {html: whole};
};

const links = () => {
  const found = new Map(), roots = rootsOf(true), out = {title: clean(titleOf(document)), links: [], cut: false};
  const all = roots.flatMap(root => [...queryAll(root, 'a,area')]);
  for (const element of roots.length > 1 ? inOrder(all) : all) {
    const href = linkOf(element);
    if (href === undefined || href === '' || /^(javascript|data|blob|about|vbscript):/i.test(href)) continue;
    const known = found.get(href);
    if (known !== undefined && known.text !== '') continue;
    const text = linkText(element);
    if (known !== undefined) { known.text = text; continue; }
    if (out.links.length >= MATCH_LIMIT) { out.cut = true; break; }
    const link = {href, text};
    found.set(href, link);
    out.links.push(link);
  }
  return out;
};
const linkText = element => {
  if (localName(element) === 'area') return clean(attribute(element, 'alt') ?? '');
  const text = clean(readable(element, NAME_LIMIT).text);
  return text !== '' || !controlSeen(element) ? text : nameOf(element);
};

class Refused extends Error {}
const scrape = ({items}) => {
  const out = {title: clean(titleOf(document)), lists: [], hidden: 0, cut: false};
  let left = HARVEST_LIMIT;
  for (const [at, item] of items.entries()) {
    const values = [];
    try {
      const found = item.seen ? bySight(bySelector(item.selector)) : bySelector(item.selector);
      if (found.length >= MATCH_LIMIT) out.cut = true;
      for (const element of found) {
        const value = item.attribute ? attributeShown(element, item.attribute.toLowerCase()) : textShown(element, out);
        left -= value.length;
        if (left < 0) { out.cut = true; break; }
        values.push(value);
      }
    } catch (error) {
      if (error instanceof InvalidSelector) return {error: 'invalid_selector', message: error.message, at, lists: []};
      if (error instanceof Refused) return {error: 'refused', message: error.message, at, lists: []};
      throw error;
    }
    out.lists.push(values);
  }
  return out;
};
const textShown = (element, out) => {
  const tag = tagOf(element);
  if (fieldTags.has(tag)) return valueOf(element);
  if (tag === 'option') return clean(optionLabel(element), VALUE_LIMIT);
  if (tag === 'title') return clean(textContent(element));
  const {text} = readable(element, PIECE_LIMIT);
  if (text === '' && !silent.has(tag) && textContent(element).trim() !== '') out.hidden++;
  return text;
};

const addressAttributes = new Set(['href', 'src', 'action', 'formaction', 'poster', 'cite', 'data', 'background', 'longdesc', 'xlink:href']);
const tellsSecret = text => secretHint.test(worded(text)) || /token|csrf|xsrf|nonce|session.?id|credential/i.test(text);
const attributeShown = (element, name) => {
  const tag = tagOf(element);
  if (isProtected(element)) throw new Refused('it would read an attribute of a protected field');
  if (name === 'srcdoc' || name.startsWith('on')) throw new Refused('it would read ' + (name === 'srcdoc' ? 'raw HTML' : 'script'));
  if (tellsSecret(name) || tag === 'meta' && ['name', 'property', 'id'].some(key => tellsSecret(attribute(element, key) ?? ''))) {
    throw new Refused('it would read what by its name is a secret');
  }
  if (name === 'value' && (tag === 'input' || tag === 'textarea' || tag === 'select')) return fieldValue(element, tag);
  const value = attribute(element, name) ?? '';
  if (value !== '' && addressAttributes.has(name)) {
    const url = URL.parse(value, baseOf(document));
    return url === null ? '' : shownURL(url.href);
  }
  return clean(value.includes('=') ? maskPairs(value) : value, VALUE_LIMIT);
};
const fieldValue = (element, tag) => {
  if (tag !== 'input') return valueOf(element);
  switch (inputType(element)) {
    case 'hidden': throw new Refused('it would read the value of a hidden field');
    case 'button': case 'submit': case 'reset': case 'checkbox': case 'radio': return clean(inputValue(element), VALUE_LIMIT);
  }
  return valueOf(element);
};
