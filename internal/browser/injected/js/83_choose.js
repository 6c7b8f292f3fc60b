// The labels of the options chosen by values or labels, or of all options when
// none are given; and their values, because a page may act on them. A text that no
// option has is told itself: an option with it may come when the list gets the focus.
const optionLabels = ({node, values}) => {
  const element = elementOf(node);
  if (!(element instanceof HTMLSelectElement)) return [];
  const options = [...selectOptions(element)];
  if (!values) return options.filter(usable).slice(0, OPTIONS).flatMap(optionTexts);
  return values.slice(0, OPTIONS).flatMap(value => {
    const meant = optionsFor(options, value);
    return meant.length > 0 ? meant.flatMap(optionTexts) : [clean(value, 200)];
  }).slice(0, 2 * OPTIONS);
};
const optionTexts = option => [optionLabel(option), ...[optionValue(option)].filter(value => value !== optionLabel(option) && /\p{L}/u.test(value))].map(text => clean(text, 200));
const OPTIONS = 1000; // options that are examined
// Selects options by value or label: all of them or none. Options that come when the
// list gets the focus are waited for.
const OPTION_LIMIT = 50;
const LATE_OPTIONS = 2000; // milliseconds that they have
const choose = async ({node, values, print}) => {
  let meant = meantBy(node, values);
  if (meant.error === 'missing' && hasScripts()) {
    focusOn(elementOf(node), {preventScroll: true});
    await until(() => (meant = meantBy(node, values)).error !== 'missing', LATE_OPTIONS);
    renew();
    if (meant.chosen !== undefined && !isSameList(meant.element, print)) return {gone: true};
    if (meant.chosen?.some((option, i) => !wasJudged(option, values[i]))) return {error: 'late'};
  }
  return meant.chosen === undefined ? meant : select(meant.element, new Set(meant.chosen));
};
const meantBy = (node, values) => {
  const element = elementOf(node);
  if (element === null) return {gone: true};
  if (!(element instanceof HTMLSelectElement)) return {error: 'not a select'};
  if (disabled(element)) return {error: 'disabled'};
  if (values.length > 1 && !selectMultiple(element)) return {error: 'single'};
  const options = [...selectOptions(element)], chosen = [];
  for (const value of values) {
    const found = optionsFor(options, value);
    if (found.length === 0) return {error: 'missing', missing: value, options: options.filter(canChoose).slice(0, OPTION_LIMIT).map(o => clean(optionLabel(o), 200))};
    if (found.length > 1) return {error: 'ambiguous', missing: value, options: found.slice(0, OPTION_LIMIT).map(inItsGroup), selected: found.slice(0, OPTION_LIMIT).map(o => clean(optionValue(o), VALUE_LIMIT))};
    if (!usable(found[0])) return {error: 'disabled', missing: value};
    chosen.push(found[0]);
  }
  return {element, chosen};
};
const select = (element, chosen) => {
  const options = [...selectOptions(element)];
  const changed = options.some(option => optionSelected(option) !== chosen.has(option));
  focusOn(element, {preventScroll: true});
  for (const option of selectMultiple(element) ? options : chosen) writeSelected(option, chosen.has(option));
  if (changed) announce(element, 'input', 'change');
  const now = [...selectChosen(element)].slice(0, 1000);
  return {ok: true, selected: now.map(option => clean(optionValue(option), VALUE_LIMIT)), labels: now.map(option => clean(optionLabel(option), 200))};
};
// Whether a list is the one that was judged, but for its options.
const CHOICES = 12; // of a fingerprint
const isSameList = (element, print) => {
  if (!print) return false;
  const [before, now] = [print, factsOf(element).print].map(text => JSON.parse(text));
  before[CHOICES] = now[CHOICES] = null;
  return JSON.stringify(before) === JSON.stringify(now);
};
// Whether an option that came after the list was judged has no other text than the one
// that was asked for, which was judged in its place.
const wasJudged = (option, wanted) => optionTexts(option).every(text => folded(text) === folded(wanted));
const usable = option => !matches(option, ':disabled');
const canChoose = option => usable(option) && !optionHidden(option);
// The options that a text means: by value, by label, or by the names of the group and the
// option. It is more than one where groups have options of the same name.
const optionsFor = (options, wanted) => {
  for (const means of [option => optionValue(option) === wanted, option => squeeze(optionLabel(option)) === squeeze(wanted),
    option => folded(optionLabel(option)) === folded(wanted), option => groupOf(option) !== null && unpunctuated(inItsGroup(option)) === unpunctuated(wanted)]) {
    const all = options.filter(means), able = all.filter(canChoose);
    if (all.length === 0) continue;
    return able.some(option => groupOf(option) !== groupOf(able[0])) ? able : [able[0] ?? all.find(usable) ?? all[0]];
  }
  return [];
};
const groupOf = option => {
  let at = parentNode(option);
  while (isElement(at) && !/^(optgroup|select)$/.test(tagOf(at))) at = parentNode(at);
  return isElement(at) && tagOf(at) === 'optgroup' ? at : null;
};
const groupName = group => clean(attribute(group, 'label') ?? '', 200);
const inItsGroup = option => (groupOf(option) === null ? '' : groupName(groupOf(option)) + ': ') + clean(optionLabel(option), 200);
const unpunctuated = text => folded(text.replace(/[\s:/>›»·,|–—-]+/g, ' '));
// Whether an option is not in its list, because it or its group is not displayed.
const optionHidden = option => displayOf(option) === 'none' || isElement(parentNode(option)) && tagOf(parentNode(option)) === 'optgroup' && displayOf(parentNode(option)) === 'none';
// The list of the nodes of an option in a snapshot: that of its group, which the first
// option of the group begins, or else that of the whole select element.
const groupSink = (option, children, container) => {
  const group = groupOf(option), name = group === null || displayOf(group) === 'none' ? '' : groupName(group);
  if (name === '') return children;
  const last = children[children.length - 1];
  if (last !== undefined && groupNodes.get(last) === group) return last.c;
  const node = {r: 'group', n: name, k: container, c: []};
  groupNodes.set(node, group);
  children.push(node);
  return node.c;
};
const groupNodes = new WeakMap(); // nodes of snapshots, to the groups that they show
