// In many tabs, menu items and list entries only an inner link or button reacts
// to a press. It is used if it is the only inner control with the same name. If
// there are several or none, the element itself is used: the button that closes
// a tab, for example, has another name.
const reacting = ({node}) => {
  const element = elementOf(node);
  if (element === null || nativeControls.has(tagOf(element)) || isEditingHost(element)) return {node: 0};
  const name = packed(nameOf(element) || written(element, 0));
  const inner = [...allInElement(element, insideControls)].slice(0, 50).filter(each => actsAlone(each) && pointable(each) && packed(nameOf(each)) === name);
  if (name === '' || inner.length !== 1 || activated(inner[0]) !== inner[0] || disabledOf(inner[0])) return {node: 0};
  return {node: numberOf(inner[0]), facts: factsOf(inner[0])};
};
const nativeControls = new Set(['html', 'body', 'a', 'area', 'svg:a', 'button', 'input', 'select', 'textarea', 'option', 'summary', 'label', ...framing]);
const insideControls = 'a[href],area[href],button,input:not([type=hidden i]),select,textarea,summary,label,iframe,frame,object,embed,[role],[onclick]';
