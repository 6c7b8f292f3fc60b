// All other names by which a person or a screen reader may know an element: its
// text with and without generated content, explicit names of its parts,
// alternative texts, values of fields in its labels, names of controls inside
// it, its title, text that is drawn in reverse, what stands before a field without
// a name, and the text of the box that stands for it.
const MOST_NAMES = 8, ONE_NAME = 200; // how many, and characters of each
const otherNames = (element, name) => {
  const found = [], known = new Set([packed(name)]);
  const add = text => {
    const one = clean(text ?? '', ONE_NAME);
    if (found.length === MOST_NAMES || !hasWord(one) || known.has(packed(one))) return;
    known.add(packed(one));
    found.push(one);
  };
  for (const text of firmNames(element)) add(text);
  if (name === '') add(captionOf(element, roleOf(element)));
  if (controlRoles.has(roleOf(element)) && !isEditable(element)) {
    for (const generated of [DRAWN, SPOKEN, NOTHING]) {
      add(contentText(element, {...newWalk(false), left: NAME_LIMIT, root: element, clipped: true, generated}, 0));
    }
    add(contentText(element, {...newWalk(false), left: NAME_LIMIT, root: element, whole: true, generated: DRAWN}, 0));
    for (const inner of innerNames(element)) add(inner);
    if (firstElement(element) !== null) addUnparted(element, name, found);
  }
  if (!isProtected(element)) add(attribute(element, 'title'));
  if (drawnInReverse(element)) add([...name].reverse().join(''));
  return found.join(' · ');
};
// The text without the spaces that line breaks and boxes put between its parts:
// "Delete" is written in two lines.
const addUnparted = (element, name, found) => {
  const text = squeeze(seen(limited(textContent(element), ONE_NAME)));
  if (text !== squeeze(name) && packed(text) === packed(name) && found.length < MOST_NAMES && hasWord(text)) found.push(text);
};
// Those names that do not change when the pointer is over the element.
const firmNames = element => {
  const names = [...labelValues(element), attribute(element, 'aria-label'), standInText(element)];
  if (element instanceof HTMLInputElement && inputRoles[inputType(element)] === 'button') names.push(inputValue(element), attribute(element, 'alt'));
  else if (isPressedField(element)) names.push(inputValue(element), attribute(element, 'placeholder'));
  return names.map(name => clean(name ?? '', ONE_NAME));
};
const innerNames = element => {
  const names = [];
  for (const inner of [...allInElement(element, 'button, input, select, textarea, a, img, svg, [role], [aria-label], [title]')].slice(0, MOST_NAMES)) {
    if (isProtected(inner)) continue;
    names.push(nameOf(inner), valueOf(inner), attribute(inner, 'title') ?? '');
  }
  return names;
};
// The values of the fields that aria-labelledby refers to or that a label
// contains.
const labelValues = element => {
  const ids = attribute(element, 'aria-labelledby'), labels = labelsOf(element);
  const named = ids === null ? [] : ids.trim().split(/\s+/).slice(0, MOST_NAMES).map(id => idIn(rootOf(element), id)).filter(label => label !== null);
  return [...named, ...labels].flatMap(label => {
    const fields = [label, ...[...allInElement(label, 'input, textarea, select')].slice(0, 4)];
    const values = fields.filter(field => field !== element && !isProtected(field)).map(valueOf).filter(value => value !== '');
    return values.length === 0 ? [] : [values.join(' '), squeeze(contentText(label, {...newWalk(true), whole: true}, 0) + ' ' + values.join(' '))];
  });
};
// Text with a bidirectional override is drawn in reverse order.
const overrides = /[\u202D\u202E\u2066-\u2069]/;
const drawnInReverse = element => {
  const parts = [element, ...[...allInElement(element, 'span, bdo, b, i, em, strong, div, p')].slice(0, 4)];
  return parts.some(part => styleOf(part).unicodeBidi.includes('override')) || overrides.test(limited(textContent(element), 400));
};
