// Identifiers of a control and of the drawnParts in it, which may say what it does
// although its name does not: class names, ids, data attributes, names of files
// and fragments of addresses.
const MOST_ICONS = 60, ICON_PARTS = 24, ICON = 60; // identifiers, elements, characters of one
const iconsOf = element => {
  const found = new Set(), add = text => {
    if (text && text.length <= ICON && found.size < MOST_ICONS && !/\s/.test(text)) found.add(text);
  };
  if (controlRoles.has(roleOf(element)) || isScripted(element) || pointerListeners.has(element)) addOwn(element, add);
  else if (!drawnParts.has(localName(element))) return '';
  for (const part of [closest(element, 'svg'), ...[...allInElement(element, '*')].slice(0, ICON_PARTS)]) {
    if (part !== null && !hasWord(textContent(part)) && !actsWithin(part, element)) addOwn(part, add);
  }
  if (/[\u{1F5D1}\u{1F6AE}]/u.test(limited(textContent(element), 400) + nameOf(element))) add('trash'); // a waste basket, and a sign to use one
  return seen([...found].join(' · '));
};
// Whether a part is, or is in, a control of its own.
const actsWithin = (part, element) => {
  const acting = activated(part);
  return actsAlone(part) || acting !== part && acting !== element && contains(element, acting);
};
const drawnParts = new Set(['i', 'svg', 'img', 'image', 'use', 'path', 'picture', 'object', 'g']);
const attributesOfIcons = new Set(['id', 'name', 'icon', 'aria-label', 'title']);
const addOwn = (element, add) => {
  for (const name of (attribute(element, 'class') ?? '').split(/\s+/)) add(name);
  if (tagOf(element) === 'button') add(attribute(element, 'value'));
  if (!isEditable(element)) for (const name of attributeNames(element)) if (attributesOfIcons.has(name) || name.startsWith('data-')) add(attribute(element, name));
  for (const name of ['src', 'data', 'srcset']) for (const address of (attribute(element, name) ?? '').split(/[\s,]+/)) add(fileName(address));
  const href = attribute(element, 'href') ?? attribute(element, 'xlink:href') ?? '';
  add(href.includes('#') ? href.replace(/^.*#/, '') : '');
  if (/^(use|image)$/.test(localName(element))) add(fileName(href));
  for (const style of [styleOf(element), getComputedStyle(element, '::before'), getComputedStyle(element, '::after')]) addDrawn(style, add);
};
// The files that a style draws.
const addDrawn = (style, add) => {
  for (const value of [style.backgroundImage, style.maskImage, style.content, style.listStyleImage]) {
    for (const [, address] of (value ?? '').matchAll(/url\("([^"]*)"\)/g)) add(fileName(address));
  }
};
// The state of a checkbox, radio button, switch or entry.
const isOn = (element, role) => {
  if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(inputType(element))) return inputChecked(element);
  return statedRoles.has(role) && ['aria-checked', 'aria-selected', 'aria-pressed'].some(name => attribute(element, name) === 'true');
};
const statedRoles = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'button']);
// The labels of the options that are chosen in a list.
const chosenIn = element => element instanceof HTMLSelectElement
  ? [...selectChosen(element)].slice(0, MOST_CHOSEN).map(option => clean(optionLabel(option), 200)).join(' · ') : '';
