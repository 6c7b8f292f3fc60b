// The frame as plain HTML, to be made markdown of: what carries meaning, as a
// person sees it. Fields, scripts and what is hidden are not in it.
const MARKUP_LIMIT = 1 << 20;
const keptTags = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'pre', 'code', 'kbd', 'samp', 'blockquote',
  'strong', 'b', 'em', 'i', 'del', 's']);
const inlineTags = new Set(['code', 'kbd', 'samp', 'strong', 'b', 'em', 'i', 'del', 's']);
const aroundTags = new Set(['nav', 'footer', 'aside']), aroundRoles = new Set(['navigation', 'contentinfo', 'complementary', 'banner']);
const mutedTags = new Set(['iframe', 'frame', 'canvas', 'video', 'audio', 'object', 'embed', ...fieldTags]);
const webLink = /^(https?|mailto|tel):/;
const escaped = text => text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);

class Markup {
  constructor(options) {
    this.options = options;
    this.parts = [];
    this.size = this.hidden = 0;
    this.cut = false;
  }
  emit(text) {
    this.size += text.length;
    this.parts.push(text);
    if (this.size > MARKUP_LIMIT) this.cut = true;
  }
  around(element, tag) {
    return !this.options.full && (isHTML(element) && aroundTags.has(tag) || aroundRoles.has(roleOf(element)));
  }
  visit(element, at) {
    const tag = localName(element);
    if (this.cut || silent.has(tag) && isHTML(element)) return;
    if (at.depth > NEST_LIMIT) return this.cut = true;
    if (tag === 'br') return this.emit(at.pre ? '\n' : at.flat ? ' ' : '<br>');
    if (tag === 'img') return this.image(element, at);
    if (tag === 'input' && inputType(element) === 'checkbox') return this.task(element, at);
    if (mutedTags.has(tag) || isEditingHost(element) && isProtected(element)) return;
    const {display} = styleOf(element);
    if (display === 'none' || display === '' || attribute(element, 'aria-hidden') === 'true') return this.leaveOut(element);
    if (this.around(element, tag)) return;
    this.wrap(element, tag, !/^(inline|contents|ruby)/.test(display), {...at, depth: at.depth + 1});
  }
  leaveOut(element) {
    if (textContent(element).trim() !== '') this.hidden++;
  }
  wrap(element, tag, block, at) {
    if (tag === 'a' && !at.link) return this.link(element, block, at);
    if (tag === 'table' && !at.flat) return this.table(element, at);
    if (tag === 'hr' && !at.flat) return this.emit('<hr>');
    if (tag === 'math') return this.children(element, {...at, flat: true, math: true});
    if (at.math) return this.formula(element, tag, at);
    if (tag === 'svg') return this.drawing(element, at);
    if (tag === 'dt' && !at.flat) return this.enclose(element, '<p><strong>', '</strong></p>', {...at, flat: true});
    if (tag === 'dd' && !at.flat) return this.enclose(element, '<ul><li>', '</li></ul>', at);
    const level = headingLevel(element, tag), kept = level > 0 ? 'h' + level : keptTags.has(tag) && isHTML(element) ? tag : block ? 'div' : '';
    if (at.flat && !inlineTags.has(kept)) {
      if (block) this.emit(' ');
      this.children(element, at);
      if (block) this.emit(' ');
      return;
    }
    if (kept === '') return this.children(element, at);
    const pre = at.pre || kept === 'pre';
    this.emit('<' + kept + this.details(element, kept) + '>');
    this.children(element, {...at, pre, item: kept === 'li' || at.item});
    this.emit('</' + kept + '>');
  }
  details(element, tag) {
    if (tag === 'ol') return number(element, 'start');
    if (tag !== 'code' && tag !== 'pre') return '';
    const language = languageOf(element) ?? (tag === 'pre' ? languageOf(flatParent(element)) : null);
    return language === null ? '' : ' class="language-' + language[1] + '"';
  }
  enclose(element, before, after, at) {
    this.emit(before);
    this.children(element, at);
    this.emit(after);
  }
  // The box that is ticked in a list of tasks.
  task(element, at) {
    if (at.item && !at.flat && controlSeen(element)) this.emit(inputChecked(element) ? '<x-task checked></x-task>' : '<x-task></x-task>');
  }
  // A formula in one line, of what is seen of it: its TeX is not.
  formula(element, tag, at) {
    const sign = {msup: '^', msub: '_', mfrac: '/'}[tag];
    let first = true;
    eachChild(element, node => {
      if (nodeType(node) === TEXT) return this.text(node, element, at, false);
      if (nodeType(node) !== ELEMENT) return;
      if (sign !== undefined && !first) this.emit(sign);
      first = false;
      this.visit(node, at);
    });
  }
  // A drawing is its words; in a link, which would say nothing else, its name.
  drawing(element, at) {
    if (innerTags(element) !== '') return this.children(element, {...at, flat: true});
    if (at.link && controlSeen(element)) this.emit(escaped(nameOf(element)));
  }
  // What is in a link is one line: markdown has no other.
  link(element, block, at) {
    const href = linkOf(element);
    if (href === undefined || !webLink.test(href)) return this.wrap(element, 'span', block, {...at, link: true});
    if (block && !at.flat) this.emit('<div>');
    this.emit('<a href="' + escaped(href) + '">');
    this.children(element, {...at, link: true, flat: true});
    this.emit('</a>');
    if (block && !at.flat) this.emit('</div>');
  }
  image(element, at) {
    if (at.pre || !controlSeen(element) || attribute(element, 'aria-hidden') === 'true') return;
    const alt = clean(attribute(element, 'alt') ?? '');
    const url = this.options.images ? URL.parse(attribute(element, 'src') ?? '', baseOf(document)) : null;
    if (url !== null && /^https?:$/.test(url.protocol)) this.emit('<img src="' + escaped(shownURL(url.href)) + '" alt="' + escaped(alt) + '">');
    else if (at.link) this.emit(escaped(alt));
  }
  table(element, at) {
    const layout = laysOut(element), rows = [...allInElement(element, 'tr')].filter(row => closest(row, 'table') === element);
    for (const caption of allInElement(element, 'caption')) if (closest(caption, 'table') === element) this.enclose(caption, '<p>', '</p>', {...at, flat: true});
    this.emit(layout ? '<div>' : '<table>');
    for (const row of rows) {
      if (styleOf(row).display === 'none') { this.leaveOut(row); continue; }
      this.emit(layout ? '<div>' : '<tr>');
      eachChild(row, cell => {
        if (isElement(cell) && /^t[dh]$/.test(localName(cell))) this.cell(cell, layout, at);
      });
      this.emit(layout ? '</div>' : '</tr>');
    }
    this.emit(layout ? '</div>' : '</table>');
  }
  cell(cell, layout, at) {
    if (styleOf(cell).display === 'none') return this.leaveOut(cell);
    if (layout) {
      this.children(cell, at);
      return this.emit(' ');
    }
    const tag = localName(cell);
    this.emit('<' + tag + number(cell, 'colspan') + number(cell, 'rowspan') + '>');
    this.children(cell, {...at, flat: true});
    this.emit('</' + tag + '>');
  }
  children(element, at) {
    const closed = tagOf(element) === 'details' && !hasAttribute(element, 'open');
    eachChild(element, node => {
      if (this.cut) return;
      const type = nodeType(node);
      if (type === TEXT) this.text(node, element, at, closed);
      else if (type === ELEMENT && closed && !isSummary(node)) this.leaveOut(node);
      else if (type === ELEMENT) this.visit(node, at);
    });
  }
  text(node, element, at, closed) {
    const data = nodeData(node);
    if (data.trim() === '') return this.emit(at.pre ? data : at.math ? '' : ' ');
    if (closed || hiddenText(node, element)) this.hidden++;
    else this.emit(escaped(seen(limited(data, MARKUP_LIMIT))));
  }
}
const languageOf = element => element === null ? null : /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(attribute(element, 'class') ?? '');
const headingLevel = (element, tag) => {
  if (/^h[1-6]$/.test(tag) || attribute(element, 'role') !== 'heading') return 0;
  return Math.min(6, levelOf(element, 'heading') ?? 2);
};
const number = (element, name) => {
  const value = parseInt(attribute(element, name) ?? '', 10);
  return value > 0 && value <= 1000 ? ' ' + name + '="' + value + '"' : '';
};
// A table that only places things: markdown's tables hold lines, not blocks.
const laysOut = table => {
  if (/^(presentation|none)$/.test(attribute(table, 'role') ?? '')) return true;
  if (allInElement(table, 'th,caption,thead').length > 0) return false;
  return allInElement(table, 'table,ul,ol,pre,h1,h2,h3,h4,h5,h6,form').length > 0;
};
const markup = options => {
  const body = bodyOf(document) ?? documentElement(document), m = new Markup(options);
  if (body !== null) m.visit(body, {depth: 0, pre: false, flat: false, link: false});
  return {title: clean(titleOf(document)), type: otherType(), html: m.parts.join(''), hidden: m.hidden, cut: m.cut};
};
