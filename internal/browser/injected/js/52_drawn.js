// Whether a style sheet may write something before or after an element: looking
// at each is dear, and most pages' sheets write nothing. Sheets that cannot be
// read may, and so may more rules than are looked at. What is in a shadow tree,
// or has one, or is a child of what has one, has sheets of its own.
const SHEET_RULES = 600;
const sheetsOf = getter(Document.prototype, 'styleSheets');
const adoptedOf = getter(Document.prototype, 'adoptedStyleSheets');
const mayDraw = element => {
  if (rootOf(element) !== document || shadowOf(element) !== null) return true;
  const parent = parentNode(element);
  if (isElement(parent) && shadowOf(parent) !== null) return true;
  return cache.draws ??= documentMayDraw();
};
const documentMayDraw = () => {
  const pace = {left: SHEET_RULES};
  return [...sheetsOf(document), ...adoptedOf(document)].some(sheet => sheetMayDraw(sheet, pace));
};
const sheetMayDraw = (sheet, pace) => {
  let rules;
  try { rules = sheet.cssRules; } catch { return true; }
  return rulesMayDraw(rules, pace);
};
const rulesMayDraw = (rules, pace) => {
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i], content = rule.style?.content ?? '';
    if (--pace.left < 0 || content !== '' && !saysNothing.test(content)) return true;
    if (rule instanceof CSSImportRule && rule.styleSheet !== null && sheetMayDraw(rule.styleSheet, pace)) return true;
    if (rule.cssRules !== undefined && rulesMayDraw(rule.cssRules, pace)) return true;
  }
  return false;
};
// Icons are letters for private use, which stand in no name.
const saysNothing = /^(?:none|normal|"[\s\uE000-\uF8FF]*")$/;
