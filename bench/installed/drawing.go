package installed

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// drawingPage is Excalidraw as its makers say that a page holds it. What is
// drawn is handed to the server.
const drawingPage = `<!doctype html><meta charset=utf-8><title>Drawing</title>
<style>html, body, #app {height: 100%; margin: 0}</style><div id=app></div>
<script>window.EXCALIDRAW_ASSET_PATH = "/modules/@excalidraw/excalidraw/dist/"</script>
<script src=/modules/react/umd/react.production.min.js></script>
<script src=/modules/react-dom/umd/react-dom.production.min.js></script>
<script src=/modules/@excalidraw/excalidraw/dist/excalidraw.production.min.js></script>
<script>
let kept = "", late;
const keep = elements => {
	const text = JSON.stringify(elements);
	if (text === kept) return;
	kept = text;
	clearTimeout(late);
	late = setTimeout(() => fetch("/draft", {method: "PUT", body: kept}), 200);
};
fetch("/draft").then(answer => answer.json()).then(elements => ReactDOM.createRoot(document.getElementById("app")).render(
	React.createElement(ExcalidrawLib.Excalidraw, {initialData: {elements}, onChange: keep})));
</script>`

// drawing is what was drawn, as Excalidraw tells it.
type drawing struct {
	mu   sync.Mutex
	text []byte
}

// Excalidraw is npm's @excalidraw/excalidraw: an editor that draws on a canvas.
func Excalidraw(tb testing.TB, _ string) *App {
	tb.Helper()
	modules := filepath.Join(testcache.Project(tb, "../installed/drawing"), "node_modules")
	d := &drawing{text: []byte("[]")}
	mux := http.NewServeMux()
	mux.Handle("GET /modules/", http.StripPrefix("/modules/", http.FileServer(http.Dir(modules))))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, drawingPage) })
	mux.HandleFunc("GET /draft", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(d.read()) })
	mux.HandleFunc("PUT /draft", d.keep)
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	return newApp(server.URL, nil, d.shapes)
}

func (d *drawing) read() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text
}

func (d *drawing) keep(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil || !json.Valid(text) {
		http.Error(w, "no drawing", http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = text
}

// shapes is a line for each thing that is drawn.
func (d *drawing) shapes() (string, error) {
	var all []struct {
		Type, Text, StrokeColor string
		IsDeleted               bool
		Width, Height           float64
	}
	if err := json.Unmarshal(d.read(), &all); err != nil {
		return "", err
	}
	var lines []string
	for _, s := range all {
		if !s.IsDeleted && (s.Type != "text" || s.Text != "") {
			lines = append(lines, fmt.Sprintf("%s %q %s %.0fx%.0f", s.Type, s.Text, s.StrokeColor, s.Width, s.Height))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}
