// The frame as plain HTML for the conversion to markdown: visible content with
// its structure, without fields, scripts and hidden content.
const MARKUP_LIMIT = 1 << 20;
const keptTags = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'pre', 'code', 'kbd', 'samp', 'blockquote',
  'strong', 'b', 'em', 'i', 'del', 's']);
const inlineTags = new Set(['code', 'kbd', 'samp', 'strong', 'b', 'em', 'i', 'del', 's']);
const aroundTags = new Set(['nav', 'footer', 'aside']), aroundRoles = new Set(['navigation', 'contentinfo', 'complementary', 'banner', 'menu', 'menubar']);
const mutedTags = new Set(['iframe', 'frame', 'canvas', 'video', 'audio', 'object', 'embed', ...fieldTags]);
const hintTags = new Set(['article', 'section', 'main', 'header', 'figure', 'figcaption']), HINT_LIMIT = 200;
// Addresses that share a page on other sites, and the class names of rows of
// such links.
const shares = /^(https?:\/\/(www\.)?(facebook\.com\/(sharer|share\.php|dialog\/(share|feed))|(twitter|x)\.com\/(intent|share|home\?status)|linkedin\.com\/(shareArticle|sharing)|pinterest\.[a-z.]+\/pin\/create|reddit\.com\/submit|tumblr\.com\/(share|widgets\/share)|api\.whatsapp\.com\/send|wa\.me\/\?|t\.me\/share|telegram\.me\/share|plus\.google\.com\/share|getpocket\.com\/(save|edit)|news\.ycombinator\.com\/submitlink|vk(ontakte)?\.(com|ru)\/share)|whatsapp:)/;
const sharingWords = /(^|[\s_-])(share|sharing|shares|social|socials|addthis|addtoany|sharedaddy|sharethis)($|[\s_-])/i;
const SHARING_TEXT = 160;
const sharing = element => {
  const names = (attribute(element, 'class') ?? '') + ' ' + (attribute(element, 'id') ?? '');
  return sharingWords.test(names) && oneInElement(element, 'a,button') !== null && oneInElement(element, 'p,h1,h2,article') === null
    && textContent(element).replace(/\s+/g, ' ').length <= SHARING_TEXT;
};
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
    return !this.options.full && (isHTML(element) && aroundTags.has(tag) || aroundRoles.has(roleOf(element)) || sharing(element));
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
    const pre = at.pre || kept === 'pre', written = kept === 'div' && this.options.hints && hintTags.has(tag) && isHTML(element) ? tag : kept;
    this.emit('<' + written + (this.details(element, kept) || this.hint(element)) + '>');
    this.children(element, {...at, pre, item: kept === 'li' || at.item});
    this.emit('</' + written + '>');
  }
  // The id and class names of a part, from which its function in the page is
  // guessed.
  hint(element) {
    if (!this.options.hints) return '';
    const words = clean((attribute(element, 'class') ?? '') + ' ' + (attribute(element, 'id') ?? '')).slice(0, HINT_LIMIT).trim();
    return words === '' ? '' : ' class="' + escaped(words) + '"';
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
  // The checkbox of an item in a task list.
  task(element, at) {
    if (at.item && !at.flat && controlSeen(element)) this.emit(inputChecked(element) ? '<x-task checked></x-task>' : '<x-task></x-task>');
  }
  // The visible text of a formula on one line, without its TeX source.
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
  // A drawing is written as its text; inside a link, if it has no text, as its
  // name.
  drawing(element, at) {
    if (innerTags(element) !== '') return this.children(element, {...at, flat: true});
    if (at.link && controlSeen(element)) this.emit(escaped(nameOf(element)));
  }
  // The content of a link is one line, because markdown allows no other. A link
  // without visible text gets the alternative texts of its pictures, or its
  // name. If it has none of these, it is omitted.
  link(element, block, at) {
    const href = linkOf(element);
    if (href === undefined || !webLink.test(href)) return this.wrap(element, 'span', block, {...at, link: true});
    if (!this.options.full && shares.test(href)) return;
    const from = this.parts.length, pictures = [];
    this.children(element, {...at, link: true, flat: true, pictures});
    const inside = this.parts.splice(from).join('');
    const words = /<img /.test(inside) || inside.replace(/<[^>]*>/g, '').trim() !== '' ? inside
      : escaped(pictures[0] ?? (controlSeen(element) ? nameOf(element) : ''));
    if (words.trim() === '') return this.emit(' ');
    const [before, after] = block && !at.flat ? ['<div>', '</div>'] : ['', ''];
    this.emit(before + '<a href="' + escaped(href) + '">' + words + '</a>' + after);
  }
  // An image is written as its alternative text, with its address if that is
  // asked for. Inside a link its alternative text may serve as the text of the
  // link.
  image(element, at) {
    if (at.pre || !controlSeen(element) || attribute(element, 'aria-hidden') === 'true') return;
    const alt = clean(attribute(element, 'alt') ?? '');
    const url = this.options.images ? URL.parse(attribute(element, 'src') ?? '', baseOf(document)) : null;
    if (url !== null && /^https?:$/.test(url.protocol)) this.emit('<img src="' + escaped(shownURL(url.href)) + '" alt="' + escaped(alt) + '">');
    else if (alt === '' || /^presentation$|^none$/.test(attribute(element, 'role') ?? '')) return;
    else if (at.link) at.pictures?.push(alt);
    else this.emit('<x-image>' + escaped(alt) + '</x-image>');
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
// Whether a table is used for layout only. Cells of a markdown table hold
// lines, not blocks.
const laysOut = table => {
  if (/^(presentation|none)$/.test(attribute(table, 'role') ?? '')) return true;
  if (allInElement(table, 'th,caption,thead').length > 0) return false;
  return allInElement(table, 'table,ul,ol,pre,h1,h2,h3,h4,h5,h6,form').length > 0;
};
// Whether the page declares that it is an article (Open Graph, schema.org).
const declaresArticle = () => {
  if (allInDocument(document, 'meta[property="og:type" i][content="article" i],[itemtype*="schema.org/" i][itemtype$="Article" i],[itemtype$="schema.org/BlogPosting" i]').length > 0) return true;
  return [...allInDocument(document, 'script[type="application/ld+json" i]')].slice(0, 10).some(script =>
    /"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting|Report)"/.test(textContent(script)));
};
const markup = options => {
  lookForCovers();
  const body = bodyOf(document) ?? documentElement(document), m = new Markup(options);
  if (body !== null) m.visit(body, {depth: 0, pre: false, flat: false, link: false});
  return {title: clean(titleOf(document)), type: otherType(), html: m.parts.join(''), hidden: m.hidden, cut: m.cut, declared: options.hints === true && declaresArticle()};
};
