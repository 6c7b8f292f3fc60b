package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/go-units"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// editor is a page with Monaco and a TypeScript program of 4,000 lines in it,
// which its worker compiles.
const editor = `<!doctype html><title>starting</title><div id=e style="width:1200px;height:680px"></div><script src=/monaco-editor/min/vs/loader.js></script><script>
	const program = Array.from({length: 1000}, (_, i) => 'export interface Row' + i + ' { id: number; name: string; next?: Row' + i + ' }\nexport function of' + i + '(rows: Row' + i + '[]) {\n  return rows.filter(r => r.id > ' + i + ').map(r => r.name.toUpperCase());\n}').join('\n');
	require.config({paths: {vs: '/monaco-editor/min/vs'}});
	require(['vs/editor/editor.main'], () => {
		window.ed = monaco.editor.create(e, {value: program, language: 'typescript'});
		const look = async () => {
			try {
				const at = await (await monaco.languages.typescript.getTypeScriptWorker())(ed.getModel().uri);
				await at.getSemanticDiagnostics(ed.getModel().uri.toString());
				document.title = 'compiled';
			} catch { setTimeout(look, 50) }
		};
		look();
	})</script>`

// limit is what a box may use.
type limit struct {
	memory string
	cpus   float64
}

func (l limit) String() string { return fmt.Sprintf("%s-%gcpu", l.memory, l.cpus) }

// BenchmarkLimits shows a rich editor and a page of 50,000 elements in boxes of
// different limits: how long until the editor's worker has compiled, until the
// large page is there, and how much memory the box uses with two editors open.
// A box that is too small loses a page: lost counts them. npm fetches the editor
// once.
func BenchmarkLimits(b *testing.B) {
	modules := filepath.Join(testcache.Project(b, "../internal/browser/engine/testdata/editors"), "node_modules")
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(modules)))
	for path, page := range map[string]string{"/editor": editor, "/50k": mixed(50_000)} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
		})
	}
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	limits := []limit{{"512m", 1}, {"1g", 1}, {"1g", 2}}
	var gateways []*localGateway
	for _, l := range limits {
		gateways = append(gateways, openGateway(b, server.URL, func(c *config.Config) {
			c.Browser.Sandbox.WarmPool, c.Browser.Sandbox.Container.Memory, c.Browser.Sandbox.Container.CPUs = 0, l.memory, l.cpus
		}))
	}
	all := make([]limited, len(limits))
	for b.Loop() {
		for i, h := range gateways {
			all[i].measure(b, h, "http://localhost:"+portOf(b, server.URL))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, l := range limits {
		b.ReportMetric(milliseconds(median(all[i].compiled)), "editor-"+l.String()+"-ms")
		b.ReportMetric(milliseconds(median(all[i].shown)), "large-"+l.String()+"-ms")
		b.ReportMetric(all[i].most, "box-"+l.String()+"-MiB")
		b.ReportMetric(float64(all[i].lost), "lost-"+l.String())
	}
}

// limited is what was measured in boxes of one limit.
type limited struct {
	compiled, shown []time.Duration
	most            float64 // MiB
	lost            int
}

func (l *limited) measure(b *testing.B, h *localGateway, origin string) {
	b.Helper()
	session := h.call(b, "", "session.start", &action.SessionStart{}).Data.(*action.Session)
	defer h.call(b, session.ID, "session.close", nil)
	for range 2 {
		begin := time.Now()
		_, err := h.Gate.Call(b.Context(), action.Call{Verb: "tab.open", Session: session.ID, Args: &action.OpenTab{URL: origin + "/editor"}, Caller: h.caller, Surface: "bench"})
		if err != nil || !l.compiles(b, h, session.ID) {
			l.lost++
			return
		}
		l.compiled = append(l.compiled, time.Since(begin))
		l.most = max(l.most, memoryOf(b, session.Box))
	}
	begin := time.Now()
	if _, err := h.Gate.Call(b.Context(), action.Call{Verb: "page.goto", Session: session.ID, Args: &action.Goto{URL: origin + "/50k"}, Caller: h.caller, Surface: "bench"}); err != nil {
		l.lost++
		return
	}
	l.shown = append(l.shown, time.Since(begin))
	l.most = max(l.most, memoryOf(b, session.Box))
}

// compiles waits until the editor's worker has compiled; false where the page
// is lost, or it takes too long.
func (l *limited) compiles(b *testing.B, h *localGateway, session string) bool {
	b.Helper()
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		result, err := h.Gate.Call(b.Context(), action.Call{Verb: "page.extract", Session: session, Args: &action.Extract{Mode: "title"}, Caller: h.caller, Surface: "bench"})
		if err != nil {
			return false
		}
		if got, ok := result.Data.(*action.Extracted); ok && strings.Contains(got.Text, "compiled") {
			return true
		}
	}
	return false
}

// memoryOf is what the engine says that a box uses, without the cache of files
// that can be dropped, in MiB.
func memoryOf(b *testing.B, box string) float64 {
	b.Helper()
	id, err := exec.CommandContext(b.Context(), "docker", "ps", "-q", "--filter", "label=glovebox.box="+box).Output()
	must(b, err)
	out, err := exec.CommandContext(b.Context(), "docker", "stats", "--no-stream", "--format", "{{.MemUsage}}", strings.TrimSpace(string(id))).Output()
	must(b, err)
	used, _, _ := strings.Cut(string(out), " ")
	bytes, err := units.RAMInBytes(strings.TrimSpace(used))
	must(b, err)
	return float64(bytes) / (1 << 20)
}
