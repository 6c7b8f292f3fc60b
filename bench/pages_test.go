package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const small = `<!doctype html><title>Small</title><h1>Small page</h1>
<p>A paragraph of text, and <a href="#there">a link</a>.</p>
<label>Name <input id="name"></label><label>Note <textarea id="note"></textarea></label>
<label><input type="checkbox" id="box"> Remember</label>
<button id="count" type="button" onclick="this.dataset.n = 1 + +(this.dataset.n || 0)">Count</button>`

func table(rows int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Table</title><h1>Orders</h1><button id="count" type="button">Count</button><table>`)
	for i := range rows {
		fmt.Fprintf(&b, `<tr><td><input type="checkbox" aria-label="Select %[1]d"><td>Order %[1]d<td>Customer %[1]d<td><a href="/o/%[1]d">Open</a><td><button type="button">Edit</button>`, i)
	}
	b.WriteString(`</table>`)
	return b.String()
}

// site serves the pages.
func site(b *testing.B) string {
	b.Helper()
	mux := http.NewServeMux()
	for path, page := range map[string]string{"/small": small, "/table": table(500)} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
		})
	}
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	return server.URL
}
