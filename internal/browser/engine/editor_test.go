package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Editors with the structure, the classes and the hidden fields of the real
// ones. What they share is a model of lines that draws twelve of them, takes a
// paste, and indents after Enter.
const editorScript = `<script>
function editor(root, input, place, line, gutter) {
  let text = root.dataset.text || '', all = false;
  const draw = () => {
    place.innerHTML = '';
    gutter.innerHTML = '';
    text.split('\n').slice(0, 12).forEach((one, i) => {
      place.append(line(one, i));
      const number = document.createElement('div');
      number.className = gutter.dataset.cell;
      number.textContent = i + 1;
      gutter.append(number);
    });
    root.model = text;
  };
  const put = more => { text = all ? more : text + more; all = false; draw() };
  input.addEventListener('keydown', e => {
    if (e.ctrlKey && e.key === 'a') { all = true; e.preventDefault() }
    if (e.key === 'Delete') { put(''); e.preventDefault() }
    if (e.key === 'Enter') { put('\n    '); e.preventDefault() }
  });
  input.addEventListener('paste', e => { put(e.clipboardData.getData('text/plain')); e.preventDefault() });
  draw();
}
const make = (name, text, top) => {
  const line = document.createElement('div');
  line.className = name;
  if (top !== undefined) line.style.cssText = 'position:absolute;white-space:pre;top:' + top * 18 + 'px;height:18px;width:400px';
  line.innerHTML = '<span></span>';
  line.firstChild.textContent = text;
  return line;
};
</script>`

var editorPages = map[string]string{
	"Monaco": `<div class="monaco-editor vs" role=code id=editor data-text="let a = 1;&#10;  let b;" style="position:relative;width:500px;height:200px"><div style="position:relative;overflow:hidden;width:500px;height:200px" class=overflow-guard>
		<div class=margin role=presentation aria-hidden=true style="position:absolute;left:0;width:40px" data-cell=line-numbers></div>
		<div class=native-edit-context role=textbox aria-multiline=true aria-label="Editor content" tabindex=0 style="position:absolute;width:1px;height:18px;z-index:-10;overflow-y:scroll;white-space:pre-wrap"></div>
		<div class=lines-content style="position:absolute;left:40px;width:460px;height:200px"><div class=view-lines role=presentation aria-hidden=true style="position:absolute;width:460px;height:200px"></div></div></div></div>
		<script>editor(document.querySelector('#editor'), document.querySelector('.native-edit-context'), document.querySelector('.view-lines'), (text, i) => make('view-line', text.replaceAll(' ', '\u00a0'), i), document.querySelector('.margin'))</script>`,
	"Monaco with a text area": `<div class="monaco-editor vs" role=code id=editor data-text="let a = 1;&#10;  let b;" style="position:relative;width:500px;height:200px"><div style="position:relative;overflow:hidden;width:500px;height:200px" class=overflow-guard>
		<div class=margin role=presentation aria-hidden=true style="position:absolute;left:0;width:40px" data-cell=line-numbers></div>
		<textarea class="inputarea monaco-mouse-cursor-text" aria-label="Editor content" style="position:absolute;width:1px;height:18px;padding:0;border:0;z-index:-10;color:transparent;background:transparent"></textarea>
		<div class=lines-content style="position:absolute;left:40px;width:460px;height:200px"><div class=view-lines role=presentation aria-hidden=true style="position:absolute;width:460px;height:200px"></div></div></div></div>
		<script>editor(document.querySelector('#editor'), document.querySelector('textarea'), document.querySelector('.view-lines'), (text, i) => make('view-line', text.replaceAll(' ', '\u00a0'), i), document.querySelector('.margin'))</script>`,
	"ACE": `<div class="ace_editor ace-tm" id=editor data-text="let a = 1;&#10;  let b;" style="position:relative;overflow:hidden;width:500px;height:200px">
		<textarea class=ace_text-input aria-label="Editor content" style="position:absolute;width:1px;height:1em;opacity:0;z-index:0;overflow:hidden"></textarea>
		<div class=ace_gutter aria-hidden=true style="position:absolute;width:40px" data-cell=ace_gutter-cell></div>
		<div class=ace_scroller style="position:absolute;overflow:hidden;left:40px;width:460px;height:200px"><div class=ace_content style="position:absolute;width:460px;height:200px"><div class="ace_layer ace_text-layer" style="position:absolute;width:460px;height:1000px"></div></div></div></div>
		<script>editor(document.querySelector('#editor'), document.querySelector('textarea'), document.querySelector('.ace_text-layer'), (text, i) => make('ace_line', text, i), document.querySelector('.ace_gutter'))</script>`,
	"CodeMirror 5": `<div class="CodeMirror cm-s-default" id=editor data-text="let a = 1;&#10;  let b;" style="position:relative;overflow:hidden;width:500px;height:200px">
		<div style="overflow:hidden;position:relative;width:3px;height:0"><textarea aria-label="Editor content" tabindex=0 style="position:absolute;bottom:-1em;padding:0;width:1px;height:1em"></textarea></div>
		<div class=CodeMirror-gutters data-cell=CodeMirror-linenumber style="position:absolute;width:40px"></div>
		<div class=CodeMirror-scroll style="height:200px;overflow:scroll"><div class=CodeMirror-lines style="margin-left:40px"><div class=CodeMirror-code></div></div></div></div>
		<script>editor(document.querySelector('#editor'), document.querySelector('textarea'), document.querySelector('.CodeMirror-code'), text => { const line = make('CodeMirror-line', text || '\u200b'); line.style.whiteSpace = 'pre'; return line }, document.querySelector('.CodeMirror-gutters'))</script>`,
	"CodeMirror 6": `<div class=cm-editor id=editor data-text="let a = 1;&#10;  let b;" style="width:500px;height:200px"><div class=cm-scroller style="display:flex;overflow:auto;height:200px">
		<div class=cm-gutters aria-hidden=true data-cell=cm-gutterElement></div>
		<div class=cm-content contenteditable=true role=textbox aria-multiline=true aria-label="Editor content" style="white-space:pre;flex-grow:2"></div></div></div>
		<script>editor(document.querySelector('#editor'), document.querySelector('.cm-content'), document.querySelector('.cm-content'), text => make('cm-line', text), document.querySelector('.cm-gutters'))</script>`,
}

func TestCodeEditorsAreReadAndTypedInto(t *testing.T) {
	for name, html := range editorPages {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(editorScript + `<p>Above</p>` + html + `<button>Save</button>`)
			shot := tr.sees(bot)
			wants(t, shot, `textbox "Editor content" [e`, `value="let a = 1;\n  let b;"`, "!\n text \"1\"", "!text \"let", "! partial")
			ref := refAfter(t, shot, `textbox "Editor content"`)
			typed := "if (a) {\n  go(\"x\");\n}\n"
			changes := tr.told(bot, "page.type", &action.Type{Locator: action.Locator{Ref: ref}, Input: typed, Clear: true})
			if model := tr.eval(`document.querySelector('#editor').model`); model != typed {
				t.Errorf("it holds %q, want %q", model, typed)
			}
			if !strings.Contains(changes.Text, `value="if (a) {\n  go(\"x\");\n}`) {
				t.Errorf("changes are %+v", changes)
			}
			tr.must("page.type", &action.Type{Locator: action.Locator{Role: "textbox", Name: "Editor content"}, Input: "// end"})
			if model := tr.eval(`document.querySelector('#editor').model`); model != typed+"// end" {
				t.Errorf("it holds %q, want the new text at the end of %q", model, typed)
			}
			tr.must("page.type", &action.Type{Locator: action.Locator{Ref: ref}, Clear: true})
			if model := tr.eval(`document.querySelector('#editor').model`); model != "" {
				t.Errorf("it holds %q, want nothing", model)
			}
			tr.must("page.click", &action.Click{Locator: action.Locator{Ref: ref}})
		})
	}
}

func TestCodeEditorsSayThatTheyDrawSomeLinesOnly(t *testing.T) {
	tr := start(t)
	long := strings.Repeat("line&#10;", 300)
	tr.visit(editorScript + strings.Replace(editorPages["Monaco"], "let a = 1;&#10;  let b;", long, 1))
	wants(t, tr.shows(&action.TakeSnapshot{}).Text, " multiline partial value=")
}

// A page may call anything an editor.
func TestWhatNobodySeesInAnEditorIsNotRead(t *testing.T) {
	tr := start(t)
	page := strings.Replace(editorPages["Monaco"], "<script>", "<style>.view-line:nth-child(2) span {color: #fff}</style><body bgcolor=white><script>", 1)
	tr.visit(editorScript + page)
	wants(t, tr.shows(&action.TakeSnapshot{}).Text, "let a = 1;", "!let b")
	tr.visit(editorScript + `<div style="opacity:0">` + editorPages["ACE"] + `</div>`)
	wants(t, tr.shows(&action.TakeSnapshot{}).Text, "!let a = 1;")
}

func TestAPlaceholderIsNoValueOfAnEditor(t *testing.T) {
	tr := start(t)
	tr.visit(`<div class=cm-editor style="width:500px"><div class=cm-scroller><div class=cm-content contenteditable=true role=textbox aria-multiline=true aria-placeholder="Search term">
		<div class=cm-line><span class=cm-placeholder contenteditable=false style="pointer-events:none">created > @now</span><br></div></div></div></div>`)
	wants(t, tr.shows(&action.TakeSnapshot{}).Text, `textbox "Search term" [e`, "!created", "!value=")
}

// Editors give the element that they edit roles of what is only read.
func TestEditableTextOfAnotherRoleIsAField(t *testing.T) {
	tr := start(t)
	for _, role := range []string{"application", "document", "group", "generic"} {
		tr.visit(`<div contenteditable=true aria-label="Text of the post" role=` + role + `><p>One</p><p>Two</p></div>`)
		ref := refAfter(t, tr.shows(&action.TakeSnapshot{}).Text, `textbox "Text of the post"`)
		tr.must("page.type", &action.Type{Locator: action.Locator{Ref: ref}, Input: "Three", Clear: true})
		if got := tr.eval(`document.querySelector('[contenteditable]').innerText`); got != "Three" {
			t.Errorf("%s holds %q", role, got)
		}
	}
}

func TestEditableBodiesOfFramesAreReadAndTypedInto(t *testing.T) {
	for name, body := range map[string]string{
		"contenteditable": `<body contenteditable=true aria-label="Rich text"><p>One <b>bold</b></p><p>Two</p></body>`,
		"empty":           `<body contenteditable=true aria-label="Rich text"><p><br></p></body>`,
		"designMode":      `<body aria-label="Rich text"><p>One <b>bold</b></p><p>Two</p><script>document.designMode = 'on'</script></body>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			s := site(t, map[string]string{"/": `<p>Above</p><iframe src=/body title=Editor width=600 height=200></iframe>`, "/body": `<!doctype html><html>` + body + `</html>`})
			tr.must("page.goto", &action.Goto{URL: s.URL})
			shot := tr.sees(bot)
			wants(t, shot, `textbox "Rich text" [e`)
			if name != "empty" {
				wants(t, shot, `value="One bold\nTwo"`)
			}
			ref := refAfter(t, shot, `textbox "Rich text"`)
			changes := tr.told(bot, "page.type", &action.Type{Locator: action.Locator{Ref: ref}, Input: "Hello\nworld", Clear: true})
			if got := tr.eval(`frames[0].document.body.innerText.trim().replace(/\n+/g, '\n')`); got != "Hello\nworld" {
				t.Errorf("it holds %q", got)
			}
			if !strings.Contains(changes.Text, `value="Hello\nworld"`) {
				t.Errorf("changes are %+v", changes)
			}
		})
	}
}

// refAfter returns the reference on the line that holds words.
func refAfter(t *testing.T, text, words string) string {
	t.Helper()
	_, line, found := strings.Cut(text, words)
	if m := referenced.FindStringSubmatch(line); found && m != nil {
		return m[1]
	}
	t.Fatalf("no reference for %q in\n%s", words, text)
	return ""
}

var referenced = regexp.MustCompile(`^[^\n]*?\[(e\d+)\]`)
