// Makes the editor that the fragment of the address names, with the paragraphs "one" and
// "two". window.text returns the text of the editor's own model, a line for a paragraph;
// window.ready is true when it can be used.
const first = ["one", "two"];
const place = document.body.appendChild(document.createElement("div"));
place.style.minHeight = "100px";
const html = first.map((line) => `<p>${line}</p>`).join("");
const textOf = (markup) => new DOMParser().parseFromString(markup.replace(/<br\s*\/?>(?=<\/(p|div|li)>)/g, "").replace(/<br\s*\/?>|<\/(p|div|li)>/g, "\n"), "text/html").body.textContent.replace(/\u00a0/g, " ").replace(/\n$/, "");
const style = (text) => document.head.appendChild(document.createElement("style")).append(text);

const editors = {
  async ProseMirror() {
    const [{ EditorState }, { EditorView }, { DOMParser: Parser }, { schema }, { exampleSetup }] = await Promise.all([
      import("prosemirror-state"), import("prosemirror-view"), import("prosemirror-model"), import("prosemirror-schema-basic"), import("prosemirror-example-setup")]);
    const content = document.createElement("div");
    content.innerHTML = html;
    style(".ProseMirror { white-space: pre-wrap }");
    const view = new EditorView(place, { state: EditorState.create({ doc: Parser.fromSchema(schema).parse(content), plugins: exampleSetup({ schema, menuBar: false }) }) });
    return () => view.state.doc.textBetween(0, view.state.doc.content.size, "\n", "\n");
  },
  async TipTap() {
    const [{ Editor }, { default: StarterKit }] = await Promise.all([import("@tiptap/core"), import("@tiptap/starter-kit")]);
    const editor = new Editor({ element: place, extensions: [StarterKit], content: html });
    return () => editor.getText({ blockSeparator: "\n" });
  },
  async Lexical() {
    const [lexical, { registerRichText }, history] = await Promise.all([import("lexical"), import("@lexical/rich-text"), import("@lexical/history")]);
    return lexicalEditor(lexical, registerRichText, history);
  },
  async "Lexical plain"() {
    const [lexical, { registerPlainText }, history] = await Promise.all([import("lexical"), import("@lexical/plain-text"), import("@lexical/history")]);
    return lexicalEditor(lexical, registerPlainText, history);
  },
  async Quill() {
    const { default: Quill } = await import("quill");
    style(".ql-editor { white-space: pre-wrap } .ql-clipboard { position: absolute; left: -100000px; height: 1px; overflow: hidden }");
    const quill = new Quill(place);
    quill.setText(first.join("\n"));
    quill.history.clear();
    return () => quill.getText().replace(/\n$/, "");
  },
  async Slate() {
    const [{ default: React }, { default: { createRoot } }, { createEditor, Node }, { Slate, Editable, withReact }, { withHistory }] = await Promise.all([
      import("react"), import("react-dom/client"), import("slate"), import("slate-react"), import("slate-history")]);
    const editor = withHistory(withReact(createEditor()));
    const onKeyDown = (event) => {
      if (!event.ctrlKey || event.key !== "z") return;
      event.preventDefault();
      editor.undo();
    };
    createRoot(place).render(React.createElement(Slate, { editor, initialValue: first.map((text) => ({ children: [{ text }] })) }, React.createElement(Editable, { onKeyDown })));
    return () => editor.children.map((n) => Node.string(n)).join("\n");
  },
  async "Draft.js"() {
    globalThis.global = globalThis;
    const [{ default: React }, { default: { createRoot } }, Draft] = await Promise.all([import("react"), import("react-dom/client"), import("draft-js")]);
    const { Editor, EditorState, ContentState, RichUtils } = Draft.default ?? Draft;
    style(".public-DraftEditor-content { white-space: pre-wrap }");
    let now;
    const Field = () => {
      const [state, set] = React.useState(() => EditorState.createWithContent(ContentState.createFromText(first.join("\n"))));
      now = state;
      const handleKeyCommand = (command, old) => {
        const next = RichUtils.handleKeyCommand(old, command);
        if (next) set(next);
        return next ? "handled" : "not-handled";
      };
      return React.createElement(Editor, { editorState: state, onChange: set, handleKeyCommand });
    };
    createRoot(place).render(React.createElement(Field));
    return () => now.getCurrentContent().getPlainText("\n");
  },
  async "CKEditor 5"() {
    const { ClassicEditor, Essentials, Paragraph, Bold } = await import("ckeditor5");
    const editor = await ClassicEditor.create(place, { licenseKey: "GPL", plugins: [Essentials, Paragraph, Bold], toolbar: ["bold", "undo"], initialData: html });
    return () => [...editor.model.document.getRoot().getChildren()].map((p) => [...p.getChildren()].map((t) => t.data ?? "\n").join("")).join("\n");
  },
  async Trix() {
    await import("trix");
    const editor = document.createElement("trix-editor");
    style("trix-editor { display: block; min-height: 100px }");
    place.replaceWith(editor);
    await new Promise((done) => editor.addEventListener("trix-initialize", done, { once: true }));
    editor.editor.loadHTML(first.map((line) => `<div>${line}</div>`).join(""));
    return () => editor.editor.getDocument().toString().replace(/\n$/, "");
  },
  async "Editor.js"() {
    const { default: EditorJS } = await import("@editorjs/editorjs");
    const editor = new EditorJS({ holder: place, data: { blocks: first.map((text) => ({ type: "paragraph", data: { text } })) } });
    await editor.isReady;
    return async () => (await editor.save()).blocks.map((b) => textOf(b.data.text)).join("\n");
  },
  async Squire() {
    const { default: Squire } = await import("squire-rte");
    const editor = new Squire(place, { sanitizeToDOMFragment: (markup) => document.createRange().createContextualFragment(markup) });
    editor.setHTML(first.map((line) => `<div>${line}</div>`).join(""));
    return () => textOf(editor.getHTML());
  },
};

function lexicalEditor({ createEditor, $getRoot, $createParagraphNode, $createTextNode }, register, { registerHistory, createEmptyHistoryState }) {
  place.contentEditable = "true";
  const editor = createEditor({ onError: (fault) => { throw fault; } });
  editor.setRootElement(place);
  editor.update(() => $getRoot().clear().append(...first.map((line) => $createParagraphNode().append($createTextNode(line)))), { discrete: true });
  register(editor);
  registerHistory(editor, createEmptyHistoryState(), 300);
  return () => editor.getEditorState().read(() => $getRoot().getTextContent()).replace(/\n\n/g, "\n");
}

const text = await editors[decodeURIComponent(location.hash.slice(1))]();
window.text = async () => await text();
window.ready = true;
