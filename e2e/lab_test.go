package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"sync/atomic"
)

var downloadable = bytes.Repeat([]byte{0, 1, 2, 0xff}, 1<<18)

// take answers with the hash of the file that was posted.
func take(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("f")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sum := sha256.New()
	_, _ = io.Copy(sum, file)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Taken</title><p>%x</p>", sum.Sum(nil))
}

// lab has small pages with one unusual feature each, below /lab/.
type lab struct {
	clicked atomic.Int32 // clicks that a page reported and has not finished
	deeds   deeds
	sockets sockets
}

// with adds the pages to an application.
func (l *lab) with(app http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", app)
	page := func(path, title, body string) {
		mux.HandleFunc("GET /lab/"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>%s</title>\n%s\n", html.EscapeString(title), body)
		})
	}
	page("controls", "Controls", `<h1>Controls</h1>
<label>Search <input id=q type=search></label>
<label>Colour <select id=colour><option value=r>Red<option value=g>Green</select></label>
<label><input id=agree type=checkbox> Agree</label>
<button id=count type=button aria-pressed=false onclick="this.textContent='Show '+(++n)">Show 0</button>
<a id=below href="#end" onmouseover="this.textContent='Hovered'">More</a>
<p style="height:3000px">tall</p><p id=end>The end</p>
<script>let n=0</script>`)
	page("dialog", "Dialog", `<button type=button aria-expanded=false onclick="document.title=String(prompt('Your name?','nobody'))">Show the question</button>`)
	page("away", "Away", `<button type=button aria-expanded=false onclick="location='https://elsewhere.example/x'">Show more</button><iframe src="https://frame.example/"></iframe>`)
	page("effects", "Files", deedsPage)
	page("counter", "Counted", `<p id=said>not counted</p><script>fetch('/lab/deeds/names', {method: 'POST'}).then(() => said.textContent = 'counted', () => said.textContent = 'refused')</script>`)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		mux.HandleFunc(method+" /lab/deeds/", l.deeds.serve)
	}
	page("channels", "Channels", channelsPage)
	mux.HandleFunc("GET /lab/socket", l.sockets.serve)
	page("ahead", "Ahead", aheadPage)
	mux.HandleFunc("GET /lab/fetched/", func(w http.ResponseWriter, r *http.Request) {
		l.sockets.note(r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<script>fetch('/lab/deeds/rendered', {method: 'POST'})</script>")
	})
	page("busy", "Busy", busyPage)
	page("disabled", "Disabled", `<button type=button disabled>Show more</button>`)
	page("visitor", "Visitor", `<p id=out>waiting</p><script>
const given = new URLSearchParams(location.search).get("name"), name = given && "is-" + given // what is kept was in no address
const out = document.getElementById("out"), open = indexedDB.open("visitors", 1)
open.onupgradeneeded = () => open.result.createObjectStore("who")
open.onsuccess = () => {
  const who = open.result.transaction("who", "readwrite", {durability: "strict"}), store = who.objectStore("who")
  if (name) {
    document.cookie = "who=" + name + ";max-age=86400"
    localStorage.who = name
    store.put(name, 1)
  }
  const known = store.get(1)
  who.oncomplete = () => out.textContent = "cookie: " + document.cookie.replace("who=", "") + "; storage: " + localStorage.who + "; database: " + known.result + ";"
}
</script>`)
	page("escape", "Escape \x1b[31mred\x1b[0m \u202etitle", "<p>text \x1b]0;owned\x07 and \x1b[2J more</p>")
	page("slow-click", "Slow", `<button type=button aria-expanded=false onclick="const r=new XMLHttpRequest;r.open('GET','/lab/clicked',false);r.send()">Show more</button>`)
	page("flood-loop", "Flood", `<script>let n = 0; setTimeout(() => { for (;;) console.log('line', ++n, {n}) }, 200)</script>`)
	page("flood-tasks", "Flood", `<script>let n = 0; const some = () => { for (let i = 0; i < 2000; i++) console.log('line', ++n, {n}); setTimeout(some) }; setTimeout(some, 200)</script>`)
	page("flood-workers", "Flood", `<script>for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(["let n = 0; for (;;) console.log('line', ++n, {n})"])))</script>`)
	page("files", "Files", `<form action="/lab/take" method=post enctype="multipart/form-data"><input id=file type=file name=f aria-label=File><button>Hand in</button></form>`)
	mux.HandleFunc("POST /lab/take", take)
	indiscreet(mux)
	mux.HandleFunc("GET /lab/orders.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		w.Header().Set("Content-Disposition", `attachment; filename="orders.csv"`)
		_, _ = w.Write([]byte("order;total\n2041;99.50\n"))
	})
	mux.HandleFunc("GET /lab/download", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=report.bin")
		_, _ = w.Write(downloadable)
	})
	logins(mux)
	warren(mux)
	mux.HandleFunc("GET /lab/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("GET /lab/clicked", func(_ http.ResponseWriter, r *http.Request) {
		l.clicked.Add(1)
		<-r.Context().Done()
	})
	mux.HandleFunc("GET /lab/fetch", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Fetch</title><p id=out>waiting</p><script>
fetch(%q).then(r => "status " + r.status, e => "refused " + e)
  .then(text => document.getElementById("out").textContent = "fetch: " + text)
</script>`, r.URL.Query().Get("url"))
	})
	return mux
}
