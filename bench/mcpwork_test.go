package bench

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// workshop is a small application in which jobs are listed, searched, opened,
// changed and packed. Each run of the task has one of its own, by the name in
// the address: /work/<name>/jobs.
type workshop struct {
	mu     sync.Mutex
	states map[string]*workState
}

type workState struct {
	Quantity, Note, Status string
	Express                bool
	Comments               []string
	Packed                 []string
}

func newWorkshop() *workshop { return &workshop{states: map[string]*workState{}} }

// state is what was done in a run. Call it with mu held.
func (w *workshop) state(name string) *workState {
	s, ok := w.states[name]
	if !ok {
		s = &workState{Quantity: "3", Status: "New"}
		w.states[name] = s
	}
	return s
}

// done says what is missing of the work; nothing when all of it is done.
func (w *workshop) done(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	want := workState{"7", "Leave at the side door", "In progress", true, []string{"Called the customer"}, []string{"1030"}}
	if got := fmt.Sprintf("%+v", *w.state(name)); got != fmt.Sprintf("%+v", want) {
		return fmt.Errorf("the work is not done: the site has %s", got)
	}
	return nil
}

const workHead = `<!doctype html><title>%s</title><style>body {font: 14px sans-serif; margin: 1em} td, th {padding: 4px} [hidden] {display: none}</style>
<header><nav><a href="jobs">Jobs</a> <a href="customers">Customers</a> <a href="reports">Reports</a> <a href="settings">Settings</a></nav></header><main>`

const jobs = 60

var customers = []string{"Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov"}

func (w *workshop) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // work, name, page
	if len(parts) != 3 {
		http.NotFound(out, r)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state(parts[1])
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch page := parts[2]; {
	case page == "jobs":
		fmt.Fprint(out, jobList(r.FormValue("q")))
	case page == "rows":
		fmt.Fprint(out, jobRows(26, 50, ""))
	case page == "save" && r.Method == http.MethodPost:
		s.Quantity, s.Note, s.Status, s.Express = r.FormValue("quantity"), r.FormValue("note"), r.FormValue("status"), r.FormValue("express") != ""
		http.Redirect(out, r, "1041?saved=1", http.StatusSeeOther)
	case page == "comment" && r.Method == http.MethodPost:
		s.Comments = append(s.Comments, r.FormValue("text"))
		fmt.Fprintf(out, "<li>Kept: %s", html.EscapeString(r.FormValue("text")))
	case page == "pack" && r.Method == http.MethodPost:
		s.Packed = append(s.Packed, strings.Fields(r.FormValue("ids"))...)
		fmt.Fprintf(out, "Packed %d job", len(s.Packed))
	case page == "reports":
		fmt.Fprintf(out, workHead+`<h1>Reports</h1><p>Jobs packed so far: %d</p><p>Comments kept: %d</p></main>`, "Reports", len(s.Packed), len(s.Comments))
	case page == "1041":
		fmt.Fprint(out, jobPage(s, r.FormValue("saved") != ""))
	default:
		http.NotFound(out, r)
	}
}

func jobRows(from, to int, query string) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		customer := customers[i%len(customers)]
		if strings.Contains(strings.ToLower(customer), strings.ToLower(query)) {
			fmt.Fprintf(&b, `<tr><td><input type="checkbox" aria-label="Select %[1]d" value="%[1]d"><td><a href="%[1]d">Job %[1]d</a><td>%[2]s<td>%[3]d pieces<td>Due in %[4]d days`, 1000+i, customer, i%9+1, i%14)
		}
	}
	return b.String()
}

func jobList(query string) string {
	from, to := 1, 25
	if query != "" {
		to = jobs
	}
	rows := jobRows(from, to, query)
	return fmt.Sprintf(workHead, "Jobs") + `<h1>Jobs</h1><form action="jobs"><label>Search jobs <input name="q" value="` + html.EscapeString(query) + `"></label> <button>Search</button></form>
<p>Jobs found: ` + strconv.Itoa(strings.Count(rows, "<tr>")) + `</p><button type="button" id="pack">Mark as packed</button> <p role="status" id="status"></p>
<table><thead><tr><th>Select<th>Job<th>Customer<th>Amount<th>Due</thead><tbody id="rows">` + rows + `</tbody></table>
<button type="button" id="next">Next page</button> <button type="button" id="totals" aria-expanded="false">Show totals</button><p id="sum" hidden>Total of this page: 125 pieces</p>
<script>
const $ = id => document.getElementById(id);
$('next').onclick = async () => { $('rows').innerHTML = await (await fetch('rows')).text(); };
$('totals').onclick = () => { $('sum').hidden = false; $('totals').setAttribute('aria-expanded', 'true'); };
$('pack').onclick = async () => {
  const ids = [...document.querySelectorAll('#rows input:checked')].map(e => e.value).join(' ');
  $('status').textContent = await (await fetch('pack', {method: 'POST', body: new URLSearchParams({ids})})).text();
};
</script></main><footer><a href="help">Help</a></footer>`
}

func jobPage(s *workState, saved bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, workHead+`<a href="jobs">Back to jobs</a><h1>Job 1041 for Grace Hopper</h1>`, "Job 1041")
	if saved {
		b.WriteString(`<p role="status">Changes saved</p>`)
	}
	fmt.Fprintf(&b, `<dl><dt>Quantity<dd>%s<dt>Status<dd>%s<dt>Note<dd>%s</dl><button type="button" id="edit">Edit</button>
<form id="form" method="post" action="save" hidden><label>Quantity <input name="quantity" value="%s"></label> <label>Note <input name="note" value="%s"></label>
<label>Status <select name="status"><option>New<option>In progress<option>Done</select></label> <label><input type="checkbox" name="express"> Express</label> <button>Save</button></form>`,
		html.EscapeString(s.Quantity), html.EscapeString(s.Status), html.EscapeString(s.Note), html.EscapeString(s.Quantity), html.EscapeString(s.Note))
	fmt.Fprintf(&b, `<div role="tablist"><button role="tab" id="t1" aria-selected="true">Details</button><button role="tab" id="t2" aria-selected="false">History</button></div>
<section id="details"><h2>Comments</h2><ul id="comments"></ul><button type="button" id="comment">Add comment</button></section>
<section id="history" hidden><h2>History</h2><ol><li>Made by Ann<li>Quantity is now %s</ol></section>
<dialog id="dialog"><label>Comment <textarea id="text"></textarea></label> <button type="button" id="keep">Keep comment</button></dialog>
<script>
const $ = id => document.getElementById(id);
$('edit').onclick = () => { $('form').hidden = false; };
$('comment').onclick = () => { $('dialog').showModal(); };
$('keep').onclick = async () => {
  const kept = await (await fetch('comment', {method: 'POST', body: new URLSearchParams({text: $('text').value})})).text();
  $('dialog').close();
  $('comments').insertAdjacentHTML('beforeend', kept);
};
$('t2').onclick = () => { $('details').hidden = true; $('history').hidden = false; };
</script></main><footer><a href="help">Help</a></footer>`, html.EscapeString(s.Quantity))
	return b.String()
}
