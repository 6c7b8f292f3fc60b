// Finding elements. The roots are the document and every known shadow root in
// it, in document order of the hosts.
const MATCH_LIMIT = 5000, FOUND_LIMIT = 20, SEEN_LIMIT = 500, VISIBLE_LIMIT = 100;
const SHADOW_LIMIT = 5000;
// Matches elements that may have a shadow root. The most frequent tags are
// excluded by the selector, because the browser filters several times faster
// than this script.
const shadowHostSelector = ':not(a,b,br,button,i,img,input,label,li,option,path,script,svg,td,tr,ul)';
// A shadow root can be attached without a notification. The set of possible
// hosts changes only with the tree, which the observer watches.
const mayHost = root => {
  noticeChanges();
  let hosts = possibleHosts.get(root);
  if (hosts === undefined) possibleHosts.set(root, hosts = [...queryAll(root, shadowHostSelector)]);
  return hosts;
};
const rootsOf = closedToo => {
  const roots = [document];
  for (let i = 0; i < roots.length && roots.length < SHADOW_LIMIT; i++) {
    for (const element of mayHost(roots[i])) {
      const shadow = openShadow(element) ?? (closedToo ? closedRoots.get(element) : undefined);
      if (shadow) {
        watchShadow(shadow);
        roots.push(shadow);
      }
    }
  }
  return roots;
};
// Sorts in document order across shadow roots: a shadow tree follows its host.
const inOrder = elements => {
  const path = element => {
    const steps = [element];
    for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(hostOf(root))) steps.unshift(hostOf(root));
    return steps;
  };
  const paths = new Map(elements.map(element => [element, path(element)]));
  return elements.sort((a, b) => {
    const one = paths.get(a), two = paths.get(b);
    for (let i = 0; i < Math.min(one.length, two.length); i++) {
      if (one[i] !== two[i]) return position(one[i], two[i]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
    }
    return one.length - two.length;
  });
};

class InvalidSelector extends Error {}
const bySelector = selector => {
  try {
    allInFragment(new DocumentFragment(), selector);
  } catch (error) {
    throw new InvalidSelector(limited(String(error.message).replace(/^.*?': /, ''), 500));
  }
  const roots = rootsOf(false), found = [];
  for (const root of roots) {
    for (const element of queryAll(root, selector)) {
      found.push(element);
      if (found.length >= MATCH_LIMIT) break;
    }
  }
  return roots.length > 1 && found.length > 1 ? inOrder(found) : found;
};

// The elements that a person can see: the page itself, elements that are drawn
// and not covered, and controls that are drawn by their labels.
const bySight = found => found.filter(element => element === documentElement(document) || element === bodyOf(document) || visible(element) && controlSeen(element));
const textInSight = element => element instanceof HTMLInputElement ? inputValue(element) : limited(readable(element, NAME_LIMIT * 16).text, NAME_LIMIT * 16);
const byTextInSight = wanted => best(bySight(byText(wanted)), textInSight, wanted);
const elementTexts = ({nodes, names}) => nodes.map(elementOf).map(element => element === null ? '' : names ? shownName(element) : textInSight(element));

// The candidates whose text equals the wanted one; if there are none, those
// that contain it.
const best = (candidates, textOf, wanted) => {
  const goal = folded(wanted), equal = [], containing = [];
  for (const element of candidates) {
    const text = folded(textOf(element));
    if (text === goal) equal.push(element);
    else if (text.includes(goal)) containing.push(element);
  }
  return equal.length > 0 ? equal : containing;
};
const everything = () => {
  const all = [];
  for (const root of rootsOf(true)) for (const element of queryAll(root, '*')) all.push(element);
  return all;
};
// An element whose whole name is wanted comes first, then one whose caption is, then
// one with the wanted words in its name, and at last in what stands for a name.
const byRole = (role, name) => {
  const wanted = role.toLowerCase().trim(), alias = {image: 'img', none: 'presentation', directory: 'list'}[wanted] ?? wanted;
  const found = [];
  for (const root of rootsOf(true)) {
    for (const element of queryAll(root, roleSelector(alias))) {
      if (isOfRole(element, alias) && laidOutLoosely(element) && !ariaHidden(element) && (alias !== 'generic' || isShownGeneric(element))) found.push(element);
      if (found.length >= MATCH_LIMIT) break;
    }
  }
  const ordered = inOrder(found);
  if (!name) return ordered;
  if (alias !== 'control') return namedAmong(ordered, name);
  const named = namedAmong(ordered.filter(element => roleOf(element) !== 'generic'), name);
  return named.length > 0 ? named : namedAmong(ordered, name);
};
const namedAmong = (ordered, name) => {
  const named = best(ordered, shownName, name), goal = folded(name);
  if (named.length > 0 && folded(shownName(named[0])) === goal) return named;
  const nameless = ordered.filter(element => shownName(element) === ''), captioned = nameless.filter(element => folded(captionOf(element, roleOf(element))) === goal);
  if (captioned.length > 0) return captioned;
  return named.length > 0 ? named : best(nameless, element => derivedLabel(element, roleOf(element)) ?? '', name);
};
// "field" stands for every role of a field of a form, "control" for every role that can
// be acted on. Elements without a role of their own are such controls only if there is no
// other of the name.
const isOfRole = (element, role) => {
  switch (role) {
    case 'field': return isField(element);
    case 'control': return isField(element) || actingRoles.has(roleOf(element)) || interactive(element, roleOf(element));
  }
  return roleOf(element) === role;
};
const isField = element => formRoles.has(roleOf(element)) || element instanceof HTMLInputElement && /^(file|color)$/.test(inputType(element));
// Whether a snapshot shows an element of role generic: it has a name, or it can
// be acted on.
const isShownGeneric = element => nameOf(element) !== '' || interactive(element, 'generic');
const shownName = element => nameOf(element) || (roleOf(element) === 'generic' ? spokenPart(element) : '');
const laidOutLoosely = element => laidOut(element) || visible(element) || tagOf(element) === 'option';
// A selector that matches every element of a role, so that few elements must be
// checked.
const roleSelectors = new Map();
for (const [tag, role] of tagRoles) if (!tag.includes(':')) roleSelectors.set(role, [...(roleSelectors.get(role) ?? []), tag]);
const extraTags = {field: 'input,select,textarea,[contenteditable]', control: '*', button: 'input,summary', link: 'a,area', textbox: 'input,textarea,[contenteditable]', searchbox: 'input', checkbox: 'input', radio: 'input',
  switch: 'input', slider: 'input', spinbutton: 'input', combobox: 'input,select', listbox: 'select,datalist', img: 'img,svg,image', banner: 'header', contentinfo: 'footer',
  region: 'section', form: 'form', complementary: 'aside', cell: 'td', gridcell: 'td', columnheader: 'th', rowheader: 'th', presentation: 'img,[role]', generic: '*'};
const roleSelector = role => ['[role]', ...(roleSelectors.get(role) ?? []), ...(extraTags[role] ? [extraTags[role]] : [])].join(',');

// Finds visible text: the innermost elements that contain it, and buttons by
// their value.
const byText = wanted => {
  const goal = folded(wanted), candidates = new Set();
  if (goal === '') return [];
  for (const root of rootsOf(true)) {
    for (const element of holding(root, goal)) candidates.add(element);
    for (const element of queryAll(root, 'input[type=submit i],input[type=button i],input[type=reset i]')) {
      if (folded(inputValue(element)).includes(goal)) candidates.add(element);
    }
  }
  const inner = [...candidates].filter(element => laidOut(element));
  return inOrder(best(inner, shownText, wanted));
};
const shownText = element => element instanceof HTMLInputElement ? inputValue(element) : limited(textContent(element), NAME_LIMIT * 16);
const skipText = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'html']);
// The deepest elements of a root whose text contains the goal. Only elements
// that contain it are descended into.
const TEXT_BUDGET = 64 << 20; // characters looked through in one search
const holding = (root, goal) => {
  const found = [];
  let budget = TEXT_BUDGET;
  const walk = (element, depth) => {
    if (found.length >= MATCH_LIMIT || depth > NEST_LIMIT || budget < 0) return true;
    let deeper = false;
    for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
      if (!isElement(node) || skipText.has(localName(node)) && localName(node) !== 'html') continue;
      const held = textContent(node);
      budget -= held.length;
      if (held.length >= goal.length && folded(held).includes(goal)) {
        if (walk(node, depth + 1)) deeper = true;
        else if (folded(spoken(node, 0)).includes(goal)) deeper = found.push(node) > 0;
      }
    }
    return deeper;
  };
  walk(root, 0);
  return found;
};
// The text of an element without content that is never shown, such as scripts.
const spoken = (element, depth) => {
  let text = '';
  if (depth > NEST_LIMIT) return text;
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === TEXT) text += textContent(node);
    else if (isElement(node) && !skipText.has(localName(node))) text += spoken(node, depth + 1);
  }
  return text;
};

const candidatesFor = query => {
  if (!query.seen || query.node) return anyFor(query);
  return query.text && !query.selector && !query.role ? byTextInSight(query.text) : bySight(anyFor(query));
};
const anyFor = query => {
  if (query.node) {
    const element = elementOf(query.node);
    return element === null ? [] : [element];
  }
  if (query.selector) return bySelector(query.selector);
  if (query.role) return byRole(query.role, query.name ?? '');
  if (query.text) return byText(query.text);
  return [];
};
const pick = (found, index) => {
  if (index !== undefined && index !== null) return found[index] ?? null;
  return found.slice(0, VISIBLE_LIMIT).find(visible) ?? found[0] ?? null;
};
const findOnce = query => {
  const found = candidatesFor(query), chosen = pick(found, query.index);
  return {
    matches: found.length,
    visible: found.slice(0, VISIBLE_LIMIT).filter(visible).length,
    nodes: found.slice(0, query.seen ? SEEN_LIMIT : FOUND_LIMIT).map(numberOf),
    node: chosen === null ? 0 : numberOf(chosen),
    facts: chosen === null ? null : factsOf(chosen),
    distinct: query.strict && (query.index ?? null) === null ? distinct(found).map(numberOf) : undefined,
  };
};
// The visible matches that act as different elements: two words of the same
// link count as one.
const distinct = found => {
  const first = found.slice(0, FOUND_LIMIT), seen = first.filter(visible), all = seen.length > 0 ? seen : first;
  return all.filter((element, i) => all.findIndex(other => activated(other) === activated(element)) === i);
};
// How long ago the tree last changed.
const idle = () => {
  noticeChanges();
  return {scripts: hasScripts(), since: Math.floor(performance.now() - changedAt)};
};
const find = async query => {
  try {
    let answer;
    await until(() => {
      answer = findOnce(query);
      return answer.node !== 0 && (!query.visible || answer.visible > 0);
    }, query.wait ?? 0);
    return answer;
  } catch (error) {
    if (error instanceof InvalidSelector) return {error: 'invalid_selector', message: error.message, nodes: []};
    throw error;
  }
};
const facts = ({node, shown, choice}) => {
  const element = followed(node);
  if (element === null) return {gone: true};
  const known = factsOf(element);
  if (shown) known.was = becameOther(element);
  if (choice && element instanceof HTMLSelectElement) known.options = optionLabels({node, values: choice.values});
  return known;
};
