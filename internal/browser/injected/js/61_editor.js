// Code editors: Monaco, ACE and CodeMirror 5 draw their text in their own line
// elements and receive keys through a hidden field. CodeMirror 6 has a visible
// field, but like the others it renders only the lines in view. Such an editor
// is read as one field, whose value is the rendered lines.
const editorKinds = [
  {name: 'monaco-editor', root: '.monaco-editor', input: '.native-edit-context, textarea.inputarea', lines: '.view-lines > .view-line',
    own: '.native-edit-context, .inputarea, .ime-text-area, .lines-content, .margin, .minimap, .scrollbar', number: '.margin .line-numbers'},
  {name: 'ace_editor', root: '.ace_editor', input: 'textarea.ace_text-input', lines: '.ace_text-layer > .ace_line_group, .ace_text-layer > .ace_line',
    own: '.ace_text-input, .ace_gutter, .ace_content, .ace_scrollbar', number: '.ace_gutter-cell'},
  {name: 'CodeMirror', root: '.CodeMirror', input: '.CodeMirror > div > textarea, .CodeMirror-code[contenteditable]', lines: '.CodeMirror-code .CodeMirror-line',
    own: 'textarea, .CodeMirror-measure, .CodeMirror-lines, .CodeMirror-gutters', number: '.CodeMirror-linenumber'},
  {name: 'cm-editor', root: '.cm-editor', input: '.cm-content', lines: '.cm-line', own: '.cm-content, .cm-gutters, .cm-layer, .cm-announced', number: '.cm-lineNumbers .cm-gutterElement'},
];
const editorRoots = editorKinds.map(kind => kind.root).join();
const editorNames = /monaco-editor|ace_editor|CodeMirror|cm-editor/;
const editorFields = /native-edit-context|CodeMirror-code|cm-content/;
// The editor with this root element, as {root, input, kind}; null for any other
// element.
const editorAt = element => {
  const names = hasAttributes(element) ? attribute(element, 'class') : null;
  if (names === null || !editorNames.test(names)) return null;
  const kind = editorKinds.find(one => names.split(/\s+/).includes(one.name));
  const input = kind === undefined ? null : oneInElement(element, kind.input);
  return input === null || closest(input, editorRoots) !== element ? null : {root: element, input, kind};
};
// The editor with this input field.
const editorOf = input => {
  const tag = localName(input);
  if (tag !== 'textarea' && !(tag === 'div' && editorFields.test(attribute(input, 'class') ?? ''))) return null;
  const root = closest(input, editorRoots), editor = root === null ? null : editorAt(root);
  return editor !== null && editor.input === input ? editor : null;
};
// The visible element for a hidden input field: its editor.
const drawnEditor = input => {
  const editor = editorOf(input);
  return editor === null || editor.kind.name === 'cm-editor' ? null : editor.root;
};
const EDITOR_LINES = 2000; // that are looked at
// The lines that are rendered and visible, from top to bottom. They are sorted
// because an editor that scrolls reuses line elements in any order.
const editorLines = ({root, kind}) => {
  const found = [];
  for (const line of [...allInElement(root, kind.lines)].slice(0, EDITOR_LINES)) {
    if (closest(line, editorRoots) !== root || !laidOut(line)) continue;
    const text = lineText(line, 0);
    if (text !== null) found.push({top: rectOf(line).top, text: text.replace(/\n$/, '')});
  }
  return found.sort((a, b) => a.top - b.top).map(line => line.text);
};
// The placeholder of an empty CodeMirror 6.
const isPlaceholder = element => /(^|\s)cm-placeholder(\s|$)/.test(attribute(element, 'class') ?? '');
// The text of a line; null if none of it is visible.
const lineText = (element, depth) => {
  let text = '', unseen = false;
  if (depth > 50) return null;
  eachChild(element, node => {
    if (nodeType(node) === TEXT) {
      if (nodeData(node).trim() === '' || !hiddenText(node, element)) text += nodeData(node);
      else unseen = true;
    } else if (nodeType(node) === ELEMENT && !isPlaceholder(node)) {
      const inner = lineText(node, depth + 1);
      if (inner === null) unseen = true;
      else text += inner;
    }
  });
  return unseen && text.trim() === '' ? null : text;
};
const editorText = editor => cleanLines(editorLines(editor).join('\n').replaceAll('\u00A0', ' '), VALUE_LIMIT);
// Whether lines before the first or after the last rendered one are missing, as
// far as line numbers and positions show.
const isPartial = ({root, kind}) => {
  const lines = [...allInElement(root, kind.lines)].slice(0, EDITOR_LINES).map(rectOf).filter(rect => rect.height > 0);
  if (lines.length === 0) return false;
  const numbers = [...allInElement(root, kind.number)].slice(0, EDITOR_LINES).filter(laidOut).map(at => parseInt(textContent(at), 10)).filter(number => number > 0);
  if (numbers.length > 0 && Math.min(...numbers) > 1) return true;
  return lines.reduce((most, rect) => Math.max(most, rect.bottom), -Infinity) > rectOf(root).bottom - 1;
};
