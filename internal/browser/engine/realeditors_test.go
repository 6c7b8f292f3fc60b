package engine_test

import (
	"flag"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// editors has the real editors tried: npm fetches 200 MB for them once.
var editors = flag.Bool("editors", false, "try Monaco, ACE, CodeMirror, TinyMCE and CKEditor as npm has them")

type realEditor struct {
	page, ready, text string // the page, and expressions for whether it is there and for what it holds
	rich              bool   // it makes paragraphs of lines
}

const codeMirrorImports = `<script type=importmap>{"imports": {
	"@codemirror/autocomplete": "/@codemirror/autocomplete/dist/index.js", "@codemirror/commands": "/@codemirror/commands/dist/index.js",
	"@codemirror/language": "/@codemirror/language/dist/index.js", "@codemirror/lint": "/@codemirror/lint/dist/index.js",
	"@codemirror/search": "/@codemirror/search/dist/index.js", "@codemirror/state": "/@codemirror/state/dist/index.js",
	"@codemirror/view": "/@codemirror/view/dist/index.js", "@lezer/common": "/@lezer/common/dist/index.js",
	"@lezer/highlight": "/@lezer/highlight/dist/index.js", "@lezer/lr": "/@lezer/lr/dist/index.js",
	"@marijn/find-cluster-break": "/@marijn/find-cluster-break/src/index.js", "@codemirror/streamparser": "/@codemirror/streamparser/dist/index.js", "style-mod": "/style-mod/src/style-mod.js",
	"w3c-keyname": "/w3c-keyname/index.js", "crelt": "/crelt/index.js", "codemirror": "/codemirror/dist/index.js"}}</script>`

var realEditors = map[string]realEditor{
	"Monaco": {
		page: `<div id=e style="width:600px;height:300px"></div><script src=/monaco-editor/min/vs/loader.js></script><script>
			require.config({paths: {vs: '/monaco-editor/min/vs'}});
			require(['vs/editor/editor.main'], () => { window.ed = monaco.editor.create(e, {value: 'one\n  two', language: 'javascript'}) })</script>`,
		ready: `!!window.ed && document.querySelectorAll('.view-line').length > 1`, text: `ed.getValue()`,
	},
	"Monaco with a text area": {
		page: `<div id=e style="width:600px;height:300px"></div><script src=/monaco-editor/min/vs/loader.js></script><script>
			require.config({paths: {vs: '/monaco-editor/min/vs'}});
			require(['vs/editor/editor.main'], () => { window.ed = monaco.editor.create(e, {value: 'one\n  two', language: 'javascript', editContext: false}) })</script>`,
		ready: `!!window.ed && document.querySelectorAll('.view-line').length > 1`, text: `ed.getValue()`,
	},
	"ACE": {
		page: `<div id=e style="width:600px;height:300px"></div><script src=/ace-builds/src-min-noconflict/ace.js></script>
			<script>ace.config.set('basePath', '/ace-builds/src-min-noconflict'); const ed = ace.edit(e); ed.session.setMode('ace/mode/javascript'); ed.setValue('one\n  two', 1)</script>`,
		ready: `document.querySelectorAll('.ace_line').length > 1`, text: `ed.getValue()`,
	},
	"CodeMirror 5": {
		page: `<link rel=stylesheet href=/codemirror5/lib/codemirror.css><script src=/codemirror5/lib/codemirror.js></script>
			<script>const ed = CodeMirror(document.body, {value: 'one\n  two', lineNumbers: true})</script>`,
		ready: `document.querySelectorAll('.CodeMirror-line').length > 1`, text: `ed.getValue()`,
	},
	"CodeMirror 6": {
		page: codeMirrorImports + `<script type=module>import {EditorView, basicSetup} from 'codemirror';
			window.ed = new EditorView({doc: 'one\n  two', extensions: [basicSetup], parent: document.body})</script>`,
		ready: `!!window.ed`, text: `ed.state.doc.toString()`,
	},
	"TinyMCE": {
		page: `<textarea id=e>&lt;p>one&lt;/p>&lt;p>two&lt;/p></textarea><script src=/tinymce/tinymce.min.js></script>
			<script>tinymce.init({selector: '#e', license_key: 'gpl', setup: ed => ed.on('init', () => { window.ed = ed })})</script>`,
		ready: `!!window.ed`, text: `ed.getContent({format: 'text'}).replace(/\n+/g, '\n')`, rich: true,
	},
	"CKEditor 4": {
		page: `<textarea id=e>&lt;p>one&lt;/p>&lt;p>two&lt;/p></textarea><script src=/ckeditor4/ckeditor.js></script>
			<script>CKEDITOR.config.versionCheck = false; CKEDITOR.replace('e').on('instanceReady', e => { window.ed = e.editor })</script>`,
		ready: `!!window.ed`, text: `ed.editable().$.innerText.trim().replace(/\n+/g, '\n')`, rich: true,
	},
}

// TestRealEditors needs npm: go test ./internal/browser/engine -run TestRealEditors -editors
func TestRealEditors(t *testing.T) {
	if !*editors {
		t.Skip("fetches editors from npm; -editors has it run")
	}
	modules := filepath.Join(testcache.Project(t, "testdata/editors"), "node_modules")
	for name, e := range realEditors {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/", http.FileServer(http.Dir(modules)))
			mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = w.Write([]byte("<!doctype html><title>Editor</title><body>" + e.page))
			})
			tr := start(t)
			tr.must("page.goto", &action.Goto{URL: listen(t, mux).URL})
			tr.eval(`(async () => { while (!(` + e.ready + `)) await new Promise(requestAnimationFrame) })()`)
			tryEditor(t, tr, e)
		})
	}
}

func tryEditor(t *testing.T, tr *trial, e realEditor) {
	t.Helper()
	first, typed := `value="one\n  two"`, "if (a) {\n  go(\"x\");\n}"
	if e.rich {
		first, typed = `value="one\ntwo"`, "Hello\nworld"
	}
	shot := tr.sees(bot)
	wants(t, shot, first)
	head, _, _ := strings.Cut(shot, first)
	line := head[strings.LastIndexByte(head, '\n')+1:]
	m := referenced.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no reference in %q of\n%s", line, shot)
	}
	field := action.Locator{Ref: m[1]}
	changes := tr.told(bot, "page.type", &action.Type{Locator: field, Input: typed, Clear: true})
	tr.wantEval(e.text, typed)
	wants(t, changes.Text, "value="+strings.ReplaceAll(strings.ReplaceAll(`"`+strings.ReplaceAll(typed, `"`, `\"`)+`"`, "\n", `\n`), "\t", `\t`))
	tr.must("page.type", &action.Type{Locator: field, Input: " // end"})
	tr.wantEval(e.text, typed+" // end")
	tr.must("page.click", &action.Click{Locator: field})
	tr.must("page.type", &action.Type{Locator: field, Clear: true})
	tr.wantEval(e.text+".trim()", "")
}
