// Code editors draw their text in lines of their own and take keys through a
// field that nobody sees: Monaco, ACE and CodeMirror 5. CodeMirror 6 has a
// field that is seen, but draws only the lines in view as the others do. Such
// an editor is read as one field with the lines that are drawn as its value.
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
// The editor that an element is: {root, input, kind}; null for anything else.
const editorAt = element => {
  const names = hasAttributes(element) ? attribute(element, 'class') : null;
  if (names === null || !editorNames.test(names)) return null;
  const kind = editorKinds.find(one => names.split(/\s+/).includes(one.name));
  const input = kind === undefined ? null : oneInElement(element, kind.input);
  return input === null || closest(input, editorRoots) !== element ? null : {root: element, input, kind};
};
// The editor whose field an element is.
const editorOf = input => {
  const tag = localName(input);
  if (tag !== 'textarea' && !(tag === 'div' && editorFields.test(attribute(input, 'class') ?? ''))) return null;
  const root = closest(input, editorRoots), editor = root === null ? null : editorAt(root);
  return editor !== null && editor.input === input ? editor : null;
};
// What shows a field that nobody sees: the editor that it belongs to.
const drawnEditor = input => {
  const editor = editorOf(input);
  return editor === null || editor.kind.name === 'cm-editor' ? null : editor.root;
};
const EDITOR_LINES = 2000; // that are looked at
// The lines that are drawn and seen, from top to bottom: an editor that is
// scrolled uses the elements of lines again, in any order.
const editorLines = ({root, kind}) => {
  const found = [];
  for (const line of [...allInElement(root, kind.lines)].slice(0, EDITOR_LINES)) {
    if (closest(line, editorRoots) !== root || !laidOut(line)) continue;
    const text = lineText(line, 0);
    if (text !== null) found.push({top: rectOf(line).top, text: text.replace(/\n$/, '')});
  }
  return found.sort((a, b) => a.top - b.top).map(line => line.text);
};
// What CodeMirror 6 shows in an empty field.
const isPlaceholder = element => /(^|\s)cm-placeholder(\s|$)/.test(attribute(element, 'class') ?? '');
// The text of a line; null where a person sees nothing of what it says.
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
// Whether lines before the first one that is drawn or after the last are left
// out, as far as the numbers beside them and their place tell.
const isPartial = ({root, kind}) => {
  const lines = [...allInElement(root, kind.lines)].slice(0, EDITOR_LINES).map(rectOf).filter(rect => rect.height > 0);
  if (lines.length === 0) return false;
  const numbers = [...allInElement(root, kind.number)].slice(0, EDITOR_LINES).filter(laidOut).map(at => parseInt(textContent(at), 10)).filter(number => number > 0);
  if (numbers.length > 0 && Math.min(...numbers) > 1) return true;
  return lines.reduce((most, rect) => Math.max(most, rect.bottom), -Infinity) > rectOf(root).bottom - 1;
};
// Puts text into a code editor as pasting does, because keys have it indented
// and its brackets closed. The caret or selection is where keys put it. An
// editor that takes a paste keeps the browser from doing so; it may ask a worker
// first how to.
const PASTE_TIME = 1000; // milliseconds until it shows what it took
const paste = async ({node, print, text}) => {
  const element = elementOf(node);
  if (element === null) return {gone: true};
  if (editorOf(element) === null || !isEditable(element)) return {ok: false};
  if (!isSame(element, print, true) || !hasFocusOf(element)) return {error: 'changed'};
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const before = valueOf(element);
  if (dispatch(element, new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true, composed: true}))) return {ok: false};
  await until(() => valueOf(element) !== before, PASTE_TIME);
  return {ok: true};
};
