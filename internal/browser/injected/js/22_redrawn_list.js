// Redrawn lists. Entries are matched by their text and the values of their
// fields, so that entries may be moved, added and removed.
const listFields = 'input, select, textarea';
const wordsKey = element => {
  let key = localName(element) + '\n' + squeeze(textContent(element));
  for (const field of queryAll(element, listFields)) key += '\n' + (touched === field ? '' : heldBy(field));
  return key;
};
const pairEntries = (lists, pairs, around) => {
  const how = {...around, digits: false};
  const {gone, fresh, stays} = lists;
  if ((how.work.left -= gone.length + fresh.length + stays.length) < 0) return false;
  const was = gone.map(wordsKey), is = fresh.map(wordsKey), kept = stays.map(wordsKey);
  if (stays.length === 0 && !how.strict && pairTouched(lists, was, is, pairs, how)) return true;
  const found = pairByWords(lists, was, is, kept, how), places = lines.get(lists.before)?.places;
  const whole = found.length === gone.length && gone.length === fresh.length;
  if (!whole && (how.strict || (found.length + kept.length) * 2 <= Math.min(gone.length, fresh.length) + kept.length)) return false;
  const entries = [...gone, ...fresh, ...stays], keys = [...was, ...is, ...kept];
  for (const [from, to] of found) {
    const inner = bearers.has(from) ? [] : [[from, to]];
    if (bearers.has(from) && (!whole && !isOneOfMany(from, entries, keys) || !pairTrees(from, to, inner, {...how, strict: true}))) continue;
    if (places?.has(from)) places.set(to, places.get(from));
    for (const pair of inner) pairs.push(pair);
  }
  return whole;
};
// Pairs the entries whose text occurred once before and occurs once now.
// Entries with equal texts are paired if their attributes distinguish them.
const pairByWords = ({gone, fresh, stays}, was, is, kept, how) => {
  const slots = new Map(), slotOf = key => slots.get(key) ?? slots.set(key, {gone: [], fresh: [], stays: []}).get(key);
  gone.forEach((element, i) => slotOf(was[i]).gone.push(element));
  fresh.forEach((element, i) => slotOf(is[i]).fresh.push(element));
  stays.forEach((element, i) => slotOf(kept[i]).stays.push(element));
  const found = [];
  for (const slot of slots.values()) {
    if (slot.gone.length === 0 || slot.fresh.length === 0) continue;
    if (slot.gone.length === 1 && slot.fresh.length === 1 && slot.stays.length === 0) found.push([slot.gone[0], slot.fresh[0]]);
    else if (slot.gone.length + slot.fresh.length + slot.stays.length <= PAIR_BUCKET) found.push(...pairApart(slot, how));
  }
  return found;
};
const pairApart = ({gone, fresh, stays}, how) => {
  const same = (a, b) => pairTrees(a, b, [], {...how, strict: true});
  return gone.flatMap(from => {
    const to = fresh.filter(element => same(from, element));
    if (to.length !== 1 || gone.some(other => other !== from && same(other, to[0])) || stays.some(other => same(from, other))) return [];
    return [[from, to[0]]];
  });
};
// The kinds of controls in an entry.
const shapeOf = entry => localName(entry) + [...queryAll(entry, 'a, button, input, select, textarea')].map(localName).join();
// Whether an entry with another text has the same controls. If so, this is a
// list of such entries, and not a dialog with a question and its buttons.
const isOneOfMany = (entry, entries, keys) => {
  const shape = shapeOf(entry), key = wordsKey(entry);
  return hasWord(textContent(entry)) && entries.some((other, i) => keys[i] !== key && shapeOf(other) === shape);
};
// Handles an act of ours in a field of one entry. If all other entries are
// unchanged and in their places, entries are paired by place, even if the text
// of that one entry changed. Of entries with equal texts only the fields are
// paired, because only their places distinguish them.
const pairTouched = ({gone, fresh}, was, is, pairs, how) => {
  const at = gone.findIndex(holdsTouched);
  if (at < 0 || gone.length !== fresh.length || was.some((key, i) => i !== at && key !== is[i])) return false;
  const found = [], times = new Map();
  for (const key of was) times.set(key, (times.get(key) ?? 0) + 1);
  for (let i = 0; i < gone.length; i++) {
    const inner = [];
    if (!bearers.has(gone[i])) inner.push([gone[i], fresh[i]]);
    else if (!pairTrees(gone[i], fresh[i], inner, {...how, strict: true, anyText: i === at})) return false;
    for (const pair of inner) if (i === at || times.get(was[i]) === 1 || fieldTags.has(localName(pair[0]))) found.push(pair);
  }
  for (const pair of found) pairs.push(pair);
  return true;
};
