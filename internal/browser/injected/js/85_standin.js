// What a person sees and presses in place of a control that cannot be seen itself:
// the label of a checkbox, radio button or file input, or the box around the field
// of a drawn select. null if there is none.
const standInOf = element => isCheckable(element) ? seenLabel(element) : isDrawnSelect(element) ? boxAround(element) : null;
// The element that a person sees of a control: itself if it can be seen.
const drawnAs = element => drawnEditor(element) ?? (ownSeen(element) ? element : standInOf(element) ?? element);
const seenLabel = element => labelsOf(element).find(label => pointable(label) && contextOf(label).unseen === '' && !outside(boxOf(label), contextOf(label)) && !coveredControl(label)) ?? null;
const isDrawnSelect = element => localName(element) === 'input' && given(element) === 'combobox' && laidOut(element);
// A box is the field's if it is drawn with a border or ground, has the height of a
// field, contains no other field and does nothing by itself.
const BOX_UP = 5, BOX_HIGH = 120; // ancestors; CSS pixels
const otherFields = 'input, select, textarea, [contenteditable], [role=combobox], [role=textbox], [role=searchbox], [role=spinbutton], [role=slider]';
const boxAround = element => {
  let at = flatParent(element);
  for (let up = 0; up < BOX_UP && at !== null; up++, at = flatParent(at)) {
    if (captionWalls.has(tagOf(at)) || actsAlone(at) || listens(at) || isEditingHost(at)) return null;
    if ([...allInElement(at, otherFields)].some(field => field !== element && roleOf(field) !== 'presentation' && laidOut(field))) return null;
    const {width, height} = rectOf(at);
    if (height > BOX_HIGH) return null;
    if (drawsBox(styleOf(at)) && width >= 20 && height >= 10 && laidOut(at) && ownSeen(at)) return at;
  }
  return null;
};
const drawsBox = style => parseFloat(style.borderTopWidth) + parseFloat(style.borderBottomWidth) > 0 || style.boxShadow !== 'none' || style.backgroundColor !== CLEAR;
// What is written in the box that stands for a control. It is judged as another
// name of the control, because the box is what gets the press.
const standInText = element => {
  const box = isDrawnSelect(element) && !ownSeen(element) ? boxAround(element) : null;
  return box === null ? '' : written(box, 0);
};
// The control of a label if only the label is drawn, and the walk does not come to the
// control itself.
const drawnOnlyBy = label => {
  const control = label instanceof HTMLLabelElement ? labelControl(label) : null;
  if (control === null || !isCheckable(control) || laidOut(control) || shows(control) || ariaHidden(control)) return null;
  return seenLabel(control) === label ? control : null;
};
