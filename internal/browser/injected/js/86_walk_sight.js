// A walk that can be compared with other walks of the same document. Walks have
// increasing numbers. Each walk marks the elements that it read or counted, and
// each change is marked with the number of the last walk before it. From these
// marks a walk finds what was added, changed or removed since any earlier walk.
// The marks do not belong to one viewer, so they serve all viewers.
const sights = {last: 0};
const firstRead = new WeakMap(); // elements, to the walk that read them first
const counted = new WeakMap(); // siblings that were counted, to {first, weight, shape, trace}
const changeMarks = new WeakMap(); // changed nodes and their ancestors, to the number of the last walk before
const broughtIn = new WeakMap(); // nodes that were added to the document, to the number of the last walk before
const lines = new WeakMap(); // lists, to the places of their children in the last walk that read them, that walk, and when the order changed
const wanted = new WeakSet(); // counted elements that must be read because of an act

const noteChanged = changes => {
  if (sights.last === 0) return;
  const left = new Map();
  noteDepartures(changes);
  for (const {type, target, addedNodes, removedNodes} of changes) {
    stir(target);
    if (type !== 'childList') continue;
    for (const node of removedNodes) if (isElement(node) && !left.has(node)) left.set(node, target);
    for (const node of addedNodes) if (isElement(node) && left.get(node) !== target) broughtIn.set(node, sights.last);
  }
};
const stir = node => {
  for (let at = nodeType(node) === FRAGMENT ? hostOf(node) : node; at !== null && changeMarks.get(at) !== sights.last; at = flatParent(at)) changeMarks.set(at, sights.last);
};
// Whether an element is in content that was counted and not read. Later walks
// read it.
const reveal = ({node, since}) => {
  let unread = false;
  for (let at = elementOf(node); at !== null; at = flatParent(at)) {
    if (!counted.has(at) || firstRead.get(at) <= since) continue;
    wanted.add(at);
    unread = true;
  }
  return unread;
};

class Sight extends Walker {
  constructor(options) {
    super(options);
    this.partial = this.anew = this.mixed = false;
    this.still = null; // an element that is read only because it is acted on
    this.fills = null; // an element that is read because few of its kind were read
    this.since = options.since ?? 0; // the walk that this one is compared with
    this.before = sights.last;
    watchChanges();
    onChanges(changeWatch.takeRecords());
    sights.last = Math.max(sights.last, options.sight);
  }
  entering(shadow) {
    watchRoot(shadow);
  }
  children(element, sink, at) {
    const shadow = shadowOf(element);
    if (shadow !== null) this.entering(shadow);
    this.inside(element, () => super.children(element, sink, at));
  }
  choices(element, node) {
    this.inside(element, () => {
      this.lined(element, [...selectOptions(element)]);
      super.choices(element, node);
    });
  }
  inside(element, read) {
    const {anew, mixed} = this;
    this.anew ||= this.cameTo(element);
    this.mixed = false;
    read();
    Object.assign(this, {anew, mixed});
  }
  cameTo(element) {
    return this.since > 0 && broughtIn.get(element) >= this.since;
  }
  // Whether an element was absent in the other walk.
  isFresh(element) {
    return this.since > 0 && (this.anew || this.cameTo(element) || !(firstRead.get(element) <= this.since || counted.get(element)?.first <= this.since));
  }
  // The record of an element that the other walk counted.
  countedThen(element) {
    const known = this.since > 0 ? counted.get(element) : undefined;
    return known !== undefined && !(firstRead.get(element) <= this.since) && !this.isFresh(element) ? known : undefined;
  }
  element(element, sink, at) {
    const then = this.countedThen(element);
    if (then !== undefined) this.flush(sink);
    const {length} = sink, {run} = this;
    super.element(element, sink, at);
    if (sink.length > length || this.run !== run) this.tookIn(element, then, sink.slice(length));
    else counted.delete(element);
  }
  tookIn(element, then, nodes) {
    if (!firstRead.has(element)) firstRead.set(element, this.options.sight);
    hold(element, readers);
    if (then === undefined) return;
    nodes.forEach((node, i) => {
      node.o = i === 0 ? then.weight : -1;
      if (this.still === element) node.q = true;
      if (this.fills === element) node.y = true;
    });
  }
  more(element, kind, sink, at) {
    const read = kind?.read, more = super.more(element, kind, sink, at);
    if (more && kind.read > read && this.isFresh(element)) kind.fresh++;
    return more;
  }
  readChoice(option, kind, node) {
    if (this.isFresh(option)) kind.fresh++;
    this.tookIn(option, this.countedThen(option), [node]);
  }
  // Reads what a comparison of two walks needs: what either of them has read,
  // counted elements that may have changed, and some of the new elements.
  reads(element, kind) {
    const known = counted.get(element);
    if (known !== undefined) this.look(element, known, kind);
    const changed = this.since > 0 && changeMarks.get(element) >= this.since;
    if (super.reads(element, kind)) {
      if (!changed) this.fills = element;
      return true;
    }
    if (!this.options.news) return false;
    if (firstRead.has(element)) return true;
    if (this.isFresh(element) ? kind.fresh < RUN_READ : changed) return true;
    if (!wanted.has(element)) return false;
    this.still = element;
    return true;
  }
  // Values of fields change without a mutation record, so they are compared.
  look(element, known, {shape}) {
    const trace = this.traces.get(element) ?? 0;
    if (known.shape === shape && known.trace === trace) return;
    Object.assign(known, {shape, trace});
    changeMarks.set(element, this.before);
  }
  count(element, kind, sink) {
    super.count(element, kind, sink);
    const last = sink[sink.length - 1], weight = weightOf(element), fresh = this.isFresh(element);
    if (fresh) last.w = (last.w ?? 0) + weight;
    if (this.mixed) last.x = true;
    if (firstRead.has(element)) this.partial = true;
    hold(element, readers);
    if (fresh || !counted.has(element)) counted.set(element, {first: this.options.sight, weight, shape: kind.shape, trace: this.traces.get(element) ?? 0});
  }
  // Records the order of the visible siblings, and whether it changed.
  lined(list, siblings) {
    const known = lines.get(list), places = new WeakMap(), choices = localName(list) === 'select';
    let highest = -1, changed = known?.changed ?? 0;
    siblings.forEach((sibling, i) => {
      if (!choices && displayOf(sibling) === 'none') return;
      places.set(sibling, i);
      const place = known?.places.get(sibling);
      if (place === undefined || broughtIn.get(sibling) >= known.sight) return;
      if (place < highest) changed = this.before;
      else highest = place;
    });
    lines.set(list, {places, changed, sight: this.options.sight});
    this.mixed = this.since > 0 && !this.anew && changed >= this.since;
  }
  // Hashes the values of the fields in a sibling.
  traceField(element, tag) {
    let text = '';
    if (tag === 'input' && element instanceof HTMLInputElement) text = inputValue(element) + inputChecked(element) + inputIndeterminate(element);
    else if (tag === 'textarea' && element instanceof HTMLTextAreaElement) text = areaValue(element);
    else if (tag === 'select' && element instanceof HTMLSelectElement) text = [...selectOptions(element)].slice(0, OPTION_WALK).map(option => +optionSelected(option)).join('');
    else return;
    let trace = this.trace * 31 + 7 | 0;
    for (let i = 0; i < text.length; i++) trace = trace * 31 + text.charCodeAt(i) | 0;
    this.trace = trace === 0 ? 1 : trace;
  }
}
