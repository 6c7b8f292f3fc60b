// The walk: one pass over the flat tree that collects what a person perceives.
// Wrappers without meaning are left out, and their children take their place.
// Adjacent inline text becomes one piece.
const VISIT_LIMIT = 400000, EMIT_LIMIT = 100000, DEPTH_LIMIT = 1000, OPTION_WALK = 500, TEXT_PIECE = 1 << 14, OUTPUT_LIMIT = 8 << 20;
const NEST_LIMIT = 400; // nesting of elements that fits on the stack; the parser nests at most 512
const WALK_TIME = 15000, WALK_LOOK = 256; // milliseconds of a walk; elements between two checks of the clock
const MANY = 4; // an element with this many children can be the root of a snapshot
const landmarks = new Set(['banner', 'complementary', 'contentinfo', 'navigation', 'menu', 'menubar', 'main']);
const transparent = new Set(['generic', 'presentation', 'paragraph', 'strong', 'emphasis', 'code', 'time', 'mark', 'subscript', 'superscript', 'deletion',
  'insertion', 'rowgroup', 'caption', 'document', 'suggestion', 'none']);
const needsName = new Set(['group', 'img', 'canvas', 'form', 'region', 'audio', 'video', 'object']);
const muting = new Set(['button', 'checkbox', 'heading', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'tab', 'tooltip', 'treeitem']);
const oneText = new Set(['math', 'cell', 'gridcell', 'columnheader', 'rowheader', 'term', 'definition', 'generic', 'status', 'alert', 'blockquote', 'figure']);
const silent = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link', 'base', 'datalist', 'param', 'source', 'track', 'col', 'colgroup']);

class Walker {
  constructor(options) {
    this.options = options;
    this.maxDepth = Math.min(options.depth || DEPTH_LIMIT, DEPTH_LIMIT);
    this.visited = this.emitted = this.size = this.hidden = this.nest = this.compared = 0;
    this.cut = this.stopped = false;
    this.until = performance.now() + WALK_TIME;
    this.run = '';
    this.kept = false; // run is preformatted text
    this.line = null; // the list of nodes whose last one is in a line of text that continues
    this.stated = new Map();
    this.trace = 0; // of the values of the fields in the sibling that is compared
    this.traces = new Map();
    this.modal = null; // the last dialog that is marked as modal
    this.hosts = []; // what was read that may have a closed shadow root
    this.root = options.root ? elementOf(options.root) : documentElement(document);
    boundParts();
  }
  // Hooks for the subclass Sight, whose walks can be compared.
  entering() {}
  lined() {}
  traceField() {}
  readChoice() {}
  full() {
    if (this.visited % WALK_LOOK === 0 && performance.now() > this.until) this.cut = this.stopped = true;
    if (this.visited > VISIT_LIMIT || this.emitted > EMIT_LIMIT || this.size > OUTPUT_LIMIT) this.cut = this.stopped = true;
    return this.stopped;
  }
  flush(sink) {
    if (this.run === '') return;
    const text = this.kept ? cleanLines(this.run.replace(/^\s*\n/, ''), TEXT_PIECE) : clean(this.run, TEXT_PIECE);
    this.run = '';
    this.kept = false;
    if (text === '') return;
    this.size += text.length;
    const node = {t: text};
    if (this.line === sink) node.j = true;
    sink.push(node);
    this.line = sink;
  }
  endLine(sink) {
    this.flush(sink);
    this.line = null;
  }
  push(sink, node) {
    this.flush(sink);
    this.line = null;
    this.emitted++;
    this.size += (node.n?.length ?? 0) + (node.v?.length ?? 0) + (node.u?.length ?? 0) + 30;
    sink.push(node);
  }
  children(element, sink, at) {
    const closed = tagOf(element) === 'details' && !hasAttribute(element, 'open');
    const runs = this.options.fold && !at.mute && !at.whole && !closed ? runsIn(element, this) : null;
    eachChild(element, node => {
      if (this.full()) return;
      const type = nodeType(node);
      if (type === TEXT) {
        if (closed) this.hidden += nodeData(node).trim() === '' ? 0 : 1;
        else this.text(node, element, at);
      } else if (type === ELEMENT) {
        if (closed && !isSummary(node)) this.leaveOut(node);
        else if (runs === null || !this.more(node, runs.get(node), sink, at)) this.element(node, sink, at);
      }
    });
  }
  // Whether an element is a further one of a run and is therefore counted and
  // not read. A read element of which nothing is visible does not count as
  // read.
  more(element, kind, sink, at) {
    if (kind === undefined || kind.count < kind.enough) return false;
    if (this.reads(element, kind)) {
      const before = sink.length;
      this.element(element, sink, at);
      if (sink.length > before) kind.read++;
      return true;
    }
    const display = displayOf(element), tag = localName(element);
    if (display === 'none' || display === '' || /^(inline|contents)$/.test(display) && !muting.has(roleOf(element)) && tag !== 'img') return false;
    if (display === 'inline') this.flush(sink);
    else this.endLine(sink);
    this.count(element, kind, sink);
    return true;
  }
  reads(element, kind) {
    return kind.read < RUN_READ;
  }
  count(element, kind, sink) {
    this.visited++;
    const last = sink[sink.length - 1];
    last.m = (last.m ?? 0) + weightOf(element);
  }
  text(node, element, at) {
    this.visited++;
    const data = nodeData(node);
    if (data.trim() === '') {
      if (this.run !== '') loose.test(data) && keepsSpace(element) ? this.add(data, element) : this.run += ' ';
      return;
    }
    if (this.options.includeHidden ? displayOf(element) === 'none' : hiddenText(node, element)) this.hidden++;
    else if (!at.mute && this.run.length < TEXT_PIECE * 2) this.add(limited(data, TEXT_PIECE), element);
  }
  // Preformatted text keeps its line breaks and spaces.
  add(data, element) {
    if (!this.kept && loose.test(data) && keepsSpace(element)) {
      this.kept = true;
      this.run = this.run.replace(/\s+/g, ' ');
    }
    this.run += this.kept && !keepsSpace(element) ? data.replace(/\s+/g, ' ') : data;
  }
  leaveOut(element) {
    if (tagOf(element) !== 'slot' && textContent(element).trim() !== '') this.hidden++;
  }
  element(element, sink, at) {
    this.visited++;
    const tag = localName(element);
    if (silent.has(tag) && isHTML(element)) return;
    if (tag === 'br') {
      this.run += this.kept ? '\n' : ' ';
      return;
    }
    const display = displayOf(element);
    if (display === 'none' || display === '') return this.leaveOut(element);
    if (plainHosts.has(tag) || tag.includes('-')) this.hosts.push(element);
    if (!this.options.includeHidden && attribute(element, 'aria-hidden') === 'true') return this.leaveOut(element);
    const block = !/^(inline|contents|ruby)|math$/.test(display);
    if (block) this.endLine(sink);
    else if (display !== 'inline' && this.run !== '') this.run += ' ';
    if (this.nest >= NEST_LIMIT) {
      this.cut = true;
      return;
    }
    this.nest++;
    this.show(element, tag, sink, at);
    if (tag === 'img') this.areas(element, sink, at);
    this.nest--;
    if (block) this.endLine(sink);
    else if (display !== 'inline' && this.run !== '') this.run += ' ';
  }
  show(element, tag, sink, at) {
    const editor = editorAt(element);
    if (editor !== null && this.seen(element)) return this.editor(editor, sink, at);
    if (at.own !== undefined && matches(element, at.own)) return;
    if (tag === 'label' && this.label(element, sink, at)) return;
    const role = roleOf(element);
    if (tag === 'iframe' || tag === 'frame') return this.frame(element, sink);
    if (fieldTags.has(tag) && isHTML(element)) return this.field(element, role, sink);
    const acts = interactive(element, role);
    const shown = acts && (this.options.includeHidden || controlSeen(element));
    const name = unnamedRole(element, role, acts) || ownCell(element, role) ? '' : nameOf(element);
    if (tag === 'svg' && name === '' && !acts && !fillsSpace(element, role)) return this.children(element, sink, {...at, mute: at.mute || !/text|foreignObject/i.test(innerTags(element))});
    const structural = !transparent.has(role) && !(needsName.has(role) && name === '' && !fillsSpace(element, role)) && (!acts || shown) && !(at.mute && !structureInMute.has(role));
    if (!shown && !structural && !(role === 'generic' && name !== '' && !acts && !at.mute && saysOtherwise(element, tag, name))) return this.through(element, role, name, sink, at);
    if (at.depth >= this.maxDepth) {
      at.more = true;
      return;
    }
    this.node(element, role, name, shown, sink, at);
  }
  // A wrapper that is left out. If its text names its parent or a control, the
  // text is omitted here, because it is already shown as the name.
  through(element, role, name, sink, at) {
    if (!at.mute && namesOther(element)) return this.children(element, sink, {...at, mute: true});
    if (at.mute && at.tree && role === 'group') return this.children(element, sink, {...at, mute: false, tree: false});
    this.children(element, sink, at);
  }
  node(element, role, name, shown, sink, at) {
    this.flush(sink);
    const node = {r: role}, children = [], {line} = this;
    const mute = muting.has(role) && name !== '' ? mutes(element, name) : at.mute && !structureInMute.has(role);
    const inner = {own: at.own, mute, depth: at.depth + 1, tree: role === 'treeitem', more: false, whole: this.options.root > 0 && element === this.root};
    this.children(element, children, inner);
    this.flush(children);
    this.describe(node, element, role, name || (shown && at.mute && role === 'generic' && children.length === 0 ? spokenPart(element) : ''), shown, children);
    if (children.length > 0) node.c = children;
    if (wide(children) || landmarks.has(role)) node.k = numberOf(element);
    if (!inner.more && !this.worthShowing(node, element, role, shown)) return this.splice(sink, children);
    this.push(sink, node);
    if (role !== 'link' || node.c !== undefined || displayOf(element) !== 'inline') return;
    if (line === sink) node.j = true;
    this.line = sink;
  }
  describe(node, element, role, name, shown, children) {
    const alone = children.length === 1 && children[0].t !== undefined && children[0].m === undefined, cell = ownCell(element, role);
    if (cell && (children.length === 0 || alone && mayDraw(element))) name = nameOf(element);
    if (alone && cell && name !== '' && folded(name).includes(folded(children[0].t))) children.length = 0;
    else if (alone && (name === '' ? oneText.has(role) : folded(children[0].t) === folded(name))) {
      name = limited(children[0].t, NAME_LIMIT);
      if (children[0].t.length <= NAME_LIMIT) children.length = 0;
    }
    if (name !== '' && !(children.length > 0 && cell)) node.n = name;
    if (shown) node.i = this.number(element);
    if (shown && name === '' && children.length === 0) node.d = derivedLabel(element, role);
    const value = valueRoles.has(role) ? valueOf(element) : '';
    if (isEditingHost(element) && isProtected(element)) {
      node.p = true;
      children.length = 0;
    } else if (value !== '') {
      node.v = value;
      if (role === 'textbox' || role === 'searchbox' || role === 'combobox') dropText(children, value);
    }
    node.l = levelOf(element, role);
    node.s = statesOf(element, role);
    if (node.s?.modal) this.modal = element;
    if (role === 'link' && !this.options.noUrls) node.u = linkOf(element);
  }
  // An empty heading, list or landmark is not shown.
  worthShowing(node, element, role, shown) {
    if (shown || node.c !== undefined || role === 'separator' || role === 'progressbar' || role === 'meter' || role === 'scrollbar') return shown || node.c !== undefined || this.seen(element);
    if (role === 'img' || drawn.has(role)) return this.seen(element);
    return node.n !== undefined && (oneText.has(role) || muting.has(role)) && this.seen(element) && (this.options.includeHidden || fallbackFree(element, role));
  }
  seen(element) {
    return this.options.includeHidden || controlSeen(element);
  }
  number(element) {
    if (this.options.shown) remember(element);
    return numberOf(element);
  }
  splice(sink, children) {
    this.line = null;
    for (const child of children) sink.push(child);
  }
  frame(element, sink) {
    if (!this.options.includeHidden && !controlSeen(element)) return this.hidden++;
    const node = {r: 'iframe', i: numberOf(element), f: true}, name = nameOf(element);
    if (name !== '') node.n = name;
    this.push(sink, node);
  }
  field(element, role, sink) {
    const secret = isProtected(element);
    if (role === 'presentation' || (secret && this.options.excludePasswords)) return;
    if (!this.options.includeHidden && !controlSeen(element)) return;
    const node = {r: role}, name = nameOf(element);
    if (name !== '') node.n = name;
    if (interactive(element, role)) node.i = this.number(element);
    if (name === '' && node.i !== undefined) node.d = derivedLabel(element, role);
    if (secret) node.p = true;
    else {
      const value = valueOf(element);
      if (value !== '' && value !== name) node.v = value;
    }
    node.s = statesOf(element, role);
    if (localName(element) === 'select') this.choices(element, node);
    this.push(sink, node);
  }
  // A checkbox, radio button or file input that is not drawn is shown where its label
  // is.
  label(element, sink, at) {
    const control = drawnOnlyBy(element);
    if (control === null) return false;
    this.field(control, roleOf(control), sink);
    this.children(element, sink, {...at, mute: at.mute || namesOther(element)});
    return true;
  }
  // The areas of an image map are shown after their image, as links.
  areas(image, sink, at) {
    for (const area of areasOf(image)) {
      if (at.depth >= this.maxDepth) at.more = true;
      else if (!this.full() && this.seen(area)) this.node(area, roleOf(area), nameOf(area), true, sink, at);
    }
  }
  // A code editor as one field, followed by its other content, such as a search
  // bar.
  editor(editor, sink, at) {
    const {input, root, kind} = editor, node = {r: 'textbox', i: this.number(input)}, name = nameOf(input);
    if (name !== '') node.n = name;
    if (isProtected(input)) node.p = true;
    else {
      const value = editorText(editor);
      if (value !== '') node.v = value;
    }
    node.s = {...statesOf(input, 'textbox'), multiline: true};
    if (isPartial(editor)) node.s.partial = true;
    this.push(sink, node);
    this.children(root, sink, {...at, own: kind.own});
  }
  choices(element, node) {
    const children = [], options = selectOptions(element), all = collectionLength(options);
    const folds = this.options.fold && element !== this.root && all >= LEAF_RUN, kind = {shape: '', read: 0, fresh: 0};
    for (let i = 0, shownOnes = 0; i < all && (folds || i < OPTION_WALK) && shownOnes < OPTION_WALK; i++) {
      const option = collectionItem(options, i), selected = optionSelected(option);
      if (!selected && optionHidden(option)) {
        this.leaveOut(option);
        continue;
      }
      const sink = groupSink(option, children, folds ? numberOf(element) : undefined);
      if (folds && !selected && sink.length > 0 && !this.reads(option, kind)) {
        this.count(option, kind, sink);
        continue;
      }
      kind.read = i + 1;
      const shown = {r: 'option', n: clean(optionLabel(option), 200)};
      if (selected) shown.s = {selected: 'true'};
      if (matches(option, ':disabled')) shown.s = {...shown.s, disabled: true};
      this.size += shown.n.length + 30;
      shownOnes++;
      sink.push(shown);
      this.readChoice(option, kind, shown);
    }
    if (children.length > 0) node.c = children;
    if (folds) node.k = numberOf(element);
  }
}
const wide = nodes => nodes.length >= MANY || nodes.some(node => node.m !== undefined);
const fieldTags = new Set(['input', 'textarea', 'select', 'meter', 'progress']);
const contentCells = new Set(['row', 'term', 'cell', 'gridcell', 'columnheader', 'rowheader']);
const labelledPart = element => hasAttributes(element) && (hasAttribute(element, 'aria-label') || localName(element) === 'abbr' && hasAttribute(element, 'title'));
// Whether an element has an explicit name that differs from its text, such as
// stars that show a rating. An element that labels another one is excluded.
const saysOtherwise = (element, tag, name) => tag !== 'label' && tag !== 'legend' && attribute(element, 'aria-labelledby') === null &&
  oneInElement(element, holdsMore) === null && folded(limited(textContent(element), NAME_LIMIT)) !== folded(name);
const holdsMore = 'a, button, input, select, textarea, iframe, img, p, div, section, article, ul, ol, dl, table, h1, h2, h3, h4, h5, h6, [role], [tabindex], [aria-label], [contenteditable]';
// An element that is named by its content and shown with it.
const ownCell = (element, role) => contentCells.has(role) && !named(element);
const valueRoles = new Set(['textbox', 'searchbox', 'combobox', 'slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);
const structureInMute = new Set(['group', 'list', 'menu', 'tree', 'table', 'grid']);
// Pictures, players and similar elements without a name are shown if they are
// large: a person sees that something is there.
const ROOM = 32, ROOM_DRAWING = 100; // CSS pixels of each side
const fillsSpace = (element, role) => {
  const least = drawn.has(role) ? ROOM : role === 'img' && tagOf(element) === 'svg:svg' ? ROOM_DRAWING : Infinity;
  if (least === Infinity) return false;
  const {width, height} = rectOf(element);
  return width >= least && height >= least;
};
const drawn = new Set(['canvas', 'video', 'audio', 'object']);
const unnamedRole = (element, role, acts) => (unnamed.has(role) && !acts && !(role === 'generic' && labelledPart(element))) || (role === 'generic' && !named(element));
// The text that distinguishes a part that is pressed within an item, such as
// the label of a tree item. It is part of the item's name and is not read
// again.
const spokenPart = element => limited(clean(squeeze(contentText(element, newWalk(false), 0))), NAME_LIMIT);
const innerTags = element => [...allInElement(element, 'text, foreignObject')].slice(0, 1).map(localName).join();
// Whether the text of the element is already the name of a control or of its
// parent.
const namesOther = element => {
  const tag = tagOf(element);
  if (tag === 'label') {
    const control = labelControl(element);
    return control !== null && controlSeen(control) && folded(nameOf(control)).includes(folded(limited(labelOwnText(element, control), NAME_LIMIT))) && fieldTags.has(localName(control));
  }
  if (tag !== 'legend' && tag !== 'caption') return false;
  const parent = flatParent(element);
  return parent !== null && nameOf(parent) !== '' && nameOf(parent) === clean(textOf(element));
};
const labelOwnText = (label, control) => spokenText(label, control);
// Whether the text inside a named element adds nothing to its name.
const mutes = (element, name) => {
  const label = attribute(element, 'aria-label') ?? attribute(element, 'aria-labelledby');
  return label === null || label.trim() === '' || folded(limited(textOf(element), NAME_LIMIT * 4)) === folded(name);
};
// Whether the name of a heading or similar element comes from visible text or
// is explicit.
const fallbackFree = element => named(element) || contentName(element) !== '';
const dropText = (children, value) => {
  const line = squeeze(value);
  for (let i = children.length - 1; i >= 0; i--) if (children[i].t !== undefined && line.includes(squeeze(children[i].t))) children.splice(i, 1);
};
const snapshot = options => {
  if (options.shown || options.sight) catchUp();
  const walker = options.viewport ? new Viewer(options) : options.sight ? new Sight(options) : new Walker(options), nodes = [];
  if (!options.includeHidden) lookForCovers(options.fold);
  const {root} = walker;
  if (root === null) return {gone: options.root > 0, url: shownHere(), title: '', nodes};
  walker.element(root, nodes, {mute: false, depth: 0, tree: false, whole: options.root > 0});
  walker.flush(nodes);
  const container = wide(nodes) ? numberOf(root) : undefined;
  const hosts = options.hosts ? closedAmong(walker.hosts, options.hosts, []) : undefined;
  return {url: shownHere(), title: clean(titleOf(document)), type: otherType(), k: container, hidden: walker.hidden, outside: walker.outside, cut: walker.cut, partial: walker.partial, blocked: walker.modal !== null && blocksPage(walker.modal), nodes, hosts};
};
