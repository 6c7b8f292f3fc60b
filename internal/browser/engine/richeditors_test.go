package engine_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// richEditors keep a model of their text, from which they draw what is seen. Each has two
// paragraphs at first; testdata/editors/richeditors.js makes them.
var richEditors = []string{
	"ProseMirror", "TipTap", "Lexical", "Lexical plain", "Quill", "Slate", "Draft.js", "CKEditor 5", "Trix", "Editor.js", "Squire",
}

// fieldPerParagraph are the editors in which each paragraph is a field of its own.
var fieldPerParagraph = map[string]bool{"Editor.js": true}

// TestRichEditors compares the models of editors with what a person's keys give: the text
// is replaced, also by several lines, something is added, copied and pasted, and everything
// is undone. It needs npm: go test ./internal/browser/engine -run TestRichEditors -editors
func TestRichEditors(t *testing.T) {
	if !*editors {
		t.Skip("fetches editors from npm; -editors has it run")
	}
	project := testcache.Project(t, "testdata/editors")
	bundle := exec.CommandContext(t.Context(), filepath.Join(project, "node_modules/esbuild/bin/esbuild"), "richeditors.js", "--bundle", "--splitting",
		"--format=esm", "--outdir=dist", "--loader:.css=empty", `--define:process.env.NODE_ENV="production"`, "--log-level=warning")
	bundle.Dir = project
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("esbuild: %v\n%s", err, out)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(project, "dist"))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>Editor</title><body><script type=module src=/richeditors.js></script>"))
	})
	site := listen(t, mux).URL
	for _, name := range richEditors {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			open := func() (field action.Locator) {
				t.Helper()
				tr.must("page.goto", &action.Goto{URL: "about:blank"})
				tr.must("page.goto", &action.Goto{URL: site + "/#" + strings.ReplaceAll(name, " ", "%20")})
				tr.eval(`(async () => { while (!window.ready) await new Promise(requestAnimationFrame) })()`)
				shot := tr.sees(bot)
				for _, line := range strings.Split(shot, "\n") {
					if m := referenced.FindStringSubmatch(line); m != nil && strings.Contains(line, `value="one`) {
						return action.Locator{Ref: m[1]}
					}
				}
				t.Fatalf("no field has the text in\n%s", shot)
				return field
			}
			press := func(keys ...string) {
				t.Helper()
				for _, key := range keys {
					tr.must("page.press", &action.Press{Key: key})
					tr.eval("new Promise(done => setTimeout(done, 150))") // no person is faster
				}
			}
			if fieldPerParagraph[name] {
				tryBlocks(tr, open())
				return
			}
			field := open()
			for _, typed := range []string{"Hello", "a <b>&amp;\n\"x\"  y", "three\nmore\nlines"} {
				tr.must("page.type", &action.Type{Locator: field, Input: typed, Clear: true})
				tr.wantEval("text()", typed)
			}
			tr.must("page.type", &action.Type{Locator: field, Input: " end"})
			tr.wantEval("text()", "three\nmore\nlines end")
			wants(t, tr.sees(bot), `value="three\nmore\nlines end"`)
			press("Enter", "x")
			tr.wantEval("text()", "three\nmore\nlines end\nx")
			press("Backspace", "Backspace")
			tr.wantEval("text()", "three\nmore\nlines end")
			for range 12 {
				press("Control+z")
			}
			tr.wantEval("text()", "one\ntwo")

			field = open()
			tr.must("page.click", &action.Click{Locator: field})
			press("Control+a", "Control+c", "Control+End", "Control+v")
			pasted := tr.eval("text()")
			if !strings.HasPrefix(pasted, "one\ntwo") || strings.Count(pasted, "one") != 2 || strings.Count(pasted, "two") != 2 {
				t.Errorf("after copying all and pasting it at the end the text is %q", pasted)
			}
			tr.must("page.type", &action.Type{Locator: field, Clear: true})
			tr.wantEval("text().then(t => t.trim())", "")
			tr.must("page.type", &action.Type{Locator: field, Input: "anew"})
			tr.wantEval("text()", "anew")
		})
	}
}

// tryBlocks types into the first of two fields.
func tryBlocks(tr *trial, field action.Locator) {
	tr.must("page.type", &action.Type{Locator: field, Input: "Hello", Clear: true})
	tr.wantEval("text()", "Hello\ntwo")
	tr.must("page.type", &action.Type{Locator: field, Input: " end"})
	tr.wantEval("text()", "Hello end\ntwo")
}
