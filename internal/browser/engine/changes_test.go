package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

var bot = observe.Viewer{Actor: "bot", Surface: "mcp"}

// told does a verb as a viewer who is told what changed.
func (tr *trial) told(by observe.Viewer, verb string, args any) *action.Changes {
	tr.t.Helper()
	before := tr.ctx
	defer func() { tr.ctx = before }()
	tr.ctx = observe.Viewing(tr.ctx, by, true)
	r := tr.must(verb, args)
	if r.Changes == nil {
		tr.t.Fatalf("%s: no changes: %+v", verb, r)
	}
	return r.Changes
}

// viewing is a test's context of a viewer who is told what changed.
func viewing(tr *trial) context.Context { return observe.Viewing(tr.ctx, bot, true) }

// sees has a viewer take a snapshot.
func (tr *trial) sees(by observe.Viewer) string {
	tr.t.Helper()
	before := tr.ctx
	defer func() { tr.ctx = before }()
	tr.ctx = observe.Viewing(tr.ctx, by, false)
	return tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text
}

func wantChanges(t *testing.T, got *action.Changes, want string) {
	t.Helper()
	if got.Snapshot != nil {
		t.Fatalf("%s: %s", got.Why, got.Snapshot.Text)
	}
	if got.Text != want {
		t.Errorf("changes:\n%swant:\n%s", got.Text, want)
	}
}

const counted = `<!doctype html><title>Shop</title><h1>Shop</h1><p id=count>0 items</p>
	<button id=add>Add</button><button id=idle>Nothing</button><input id=q aria-label=Search><input type=checkbox id=w aria-label=Watch>
	<div id=out></div>
	<script>
		const out = document.getElementById('out');
		let n = 0;
		document.getElementById('add').onclick = () => { document.getElementById('count').textContent = ++n + ' items'; };
	</script>`

func TestAnActSaysWhatItChanged(t *testing.T) {
	tr := start(t)
	s := serve(t, counted)
	first := tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	if first.Snapshot == nil || first.Why != action.FirstLook || !first.Moved || !strings.Contains(first.Snapshot.Text, `button "Add" [e`) {
		t.Fatalf("%+v", first)
	}
	click := func(id string) *action.Changes {
		return tr.told(bot, "page.click", &action.Click{Locator: selector(id)})
	}
	got := click("#add")
	wantChanges(t, got, "~ text \"1 items\" (was \"0 items\")\n")
	if got.Moved || got.Late {
		t.Errorf("%+v", got)
	}
	wantChanges(t, click("#idle"), "")
	if got := click("#w"); !strings.HasPrefix(got.Text, "~ checkbox \"Watch\" [e") || !strings.HasSuffix(got.Text, "] focused checked\n") {
		t.Errorf("%q", got.Text)
	}
	got = tr.told(bot, "page.type", &action.Type{Locator: selector("#q"), Input: "red shoes"})
	if !strings.Contains(got.Text, `value="red shoes"`) || strings.Count(got.Text, "\n") != 1 {
		t.Errorf("%q", got.Text)
	}
}

func TestEachViewerIsToldWhatItHasNotSeen(t *testing.T) {
	tr := start(t)
	tr.visit(counted)
	ann := observe.Viewer{Actor: "ann", Surface: "cli"}
	tr.sees(bot)
	tr.sees(ann)
	click := &action.Click{Locator: selector("#add")}
	wantChanges(t, tr.told(bot, "page.click", click), "~ text \"1 items\" (was \"0 items\")\n")
	tr.must("page.click", click) // somebody else, who is told nothing
	wantChanges(t, tr.told(bot, "page.click", click), "~ text \"3 items\" (was \"1 items\")\n")
	got := tr.told(ann, "page.click", click)
	wantChanges(t, got, "~ text \"4 items\" (was \"0 items\")\n")
	if stranger := tr.told(observe.Viewer{Actor: "eve"}, "page.click", click); stranger.Why != action.FirstLook || stranger.Snapshot == nil {
		t.Errorf("%+v", stranger)
	}
}

func TestAnotherDocumentIsShownWhole(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<a href=/next>Next</a>`, "/next": `<title>Next</title><h1>There</h1>`})
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("a")})
	if got.Why != action.NewPage || !got.Moved || got.Snapshot == nil || !strings.Contains(got.Snapshot.Text, `heading "There"`) {
		t.Errorf("%+v", got)
	}
}

func TestWhatAnActSetsOffIsWaitedFor(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><button id=b>Do</button><input id=i aria-label=Find><p id=out>idle</p><script>
			const show = words => { document.getElementById('out').textContent = words };
			const how = {
				sync: () => show('done'),
				microtask: () => Promise.resolve().then(() => Promise.resolve()).then(() => show('done')),
				timer: () => setTimeout(() => show('done')),
				debounce: () => setTimeout(() => show('done'), 50),
				fetch: async () => { await fetch('/answer'); show('done') },
				spinner: async () => { show('loading'); const r = await fetch('/answer'); show(await r.text()) },
				twice: async () => { await fetch('/answer'); await fetch('/answer?2'); show('done') },
				script: () => { const s = document.createElement('script'); s.src = '/show.js'; document.body.append(s) },
			}[location.search.slice(1)] ?? (() => {});
			document.getElementById('b').addEventListener('click', how);
			document.getElementById('i').addEventListener('input', how);
		</script>`)
	})
	mux.HandleFunc("/answer", func(w http.ResponseWriter, r *http.Request) {
		testwait.Latency(r.Context(), 150*time.Millisecond)
		fmt.Fprint(w, "done")
	})
	mux.HandleFunc("/show.js", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "show('done')") })
	s := listen(t, mux)
	tr := start(t, engine.BePatient)
	for _, how := range []string{"sync", "microtask", "timer", "debounce", "fetch", "spinner", "twice", "script"} {
		t.Log(how)
		tr.told(bot, "page.goto", &action.Goto{URL: s.URL + "/?" + how})
		wantChanges(t, tr.told(bot, "page.click", &action.Click{Locator: selector("#b")}), "~ text \"done\" (was \"idle\")\n")
	}
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL + "/?debounce"})
	got := tr.told(bot, "page.type", &action.Type{Locator: selector("#i"), Input: "x"})
	if !strings.Contains(got.Text, "~ text \"done\"") {
		t.Errorf("%q", got.Text)
	}
}

// A dialog that fades out when its own button closes it is gone in the report, and not
// offered for another click.
func TestADialogThatClosesIsGone(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>t</title><style>#d { transition: opacity .3s, transform .3s } #d.out { opacity: 0; transform: translateY(20px) }</style>
			<button>Under</button><div id=d role=dialog aria-modal=true aria-label=Welcome><button id=c>Start</button></div>
			<script>c.onclick = () => setTimeout(() => { d.classList.add('out'); setTimeout(() => d.remove(), 350) })</script>`)
	})
	tr := start(t, engine.BePatient)
	tr.told(bot, "page.goto", &action.Goto{URL: listen(t, mux).URL})
	wantChanges(t, tr.told(bot, "page.click", &action.Click{Locator: selector("#c")}), "- dialog \"Welcome\"\n")
	if shown := tr.snap(); strings.Contains(shown, "Start") || !strings.Contains(shown, `button "Under"`) {
		t.Errorf("after the dialog:\n%s", shown)
	}
}

// A page that shows that it works on something has not finished; one that showed it
// before has nothing to do with the act.
func TestAPageThatWorksOnSomethingIsLate(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>t</title><button id=a>Create</button><button id=b>Count</button><p id=n>0</p><div id=o></div><button id=c>Open</button><div id=w hidden>Work</div><script>
			const bar = () => { const e = document.createElement('div'); e.role = 'progressbar'; e.style.cssText = 'height:6px;width:80px'; return e };
			a.onclick = () => o.append(bar()); b.onclick = () => n.textContent++;
			c.onclick = () => { w.hidden = false; w.append(bar()) };</script>`)
	})
	tr := start(t)
	tr.told(bot, "page.goto", &action.Goto{URL: listen(t, mux).URL})
	if c := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")}); c.Late {
		t.Errorf("a page that works on nothing: %+v", c)
	}
	if c := tr.told(bot, "page.click", &action.Click{Locator: selector("#a")}); !c.Late || !strings.Contains(c.Text, "+ progressbar") {
		t.Errorf("a new progress bar: %+v", c)
	}
	if c := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")}); c.Late {
		t.Errorf("a progress bar that was there: %+v", c)
	}
	if c := tr.told(bot, "page.click", &action.Click{Locator: selector("#c")}); !c.Late {
		t.Errorf("a new progress bar in what was hidden: %+v", c)
	}
}

// A search box that waits until nobody types any more, and then asks its server.
func TestSuggestionsAreInTheAnswer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><input id=q type=search aria-label=City><ul id=out></ul><script>
			let timer;
			q.addEventListener('input', () => {
				clearTimeout(timer);
				timer = setTimeout(async () => { out.innerHTML = await (await fetch('/suggest?q=' + q.value)).text() }, 300);
			});
		</script>`)
	})
	mux.HandleFunc("/suggest", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<li>%sel<li>%sra", r.FormValue("q"), r.FormValue("q"))
	})
	s := listen(t, mux)
	tr := start(t, engine.BePatient)
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	for _, typed := range []string{"Bas", "Gen"} {
		got := tr.told(bot, "page.type", &action.Type{Locator: selector("#q"), Input: typed, Clear: true})
		if !strings.Contains(got.Text, typed+"el") || !strings.Contains(got.Text, typed+"ra") {
			t.Errorf("%q", got.Text)
		}
	}
}

// What a page does all the time is not what an act set off.
func TestWhatGoesOnAnywayIsNotWaitedFor(t *testing.T) {
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><button id=b>Do</button><p id=out>idle</p><p id=clock aria-hidden=true>0</p><script>
			const poll = async () => { try { await fetch('/poll?' + Math.random()) } finally { poll() } };
			poll();
			let n = 0;
			const loop = () => { document.getElementById('clock').textContent = n++; requestAnimationFrame(loop) };
			loop();
			setInterval(() => { document.getElementById('clock').title = n }, 20);
			document.getElementById('b').onclick = () => { document.getElementById('out').textContent = 'done' };
		</script>`)
	})
	mux.HandleFunc("/poll", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	})
	s := listen(t, mux)
	tr := start(t, func(o *engine.Options) { engine.LimitRequests(o, ample) }) // a wait for the poll never ends
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
	wantChanges(t, got, "~ text \"done\" (was \"idle\")\n")
}

func TestWhatCameAndWentIsInTheNextReport(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button id=b>Save</button><div role=status id=s></div><script>
		document.getElementById('b').onclick = () => {
			document.getElementById('s').textContent = 'Saved';
			requestAnimationFrame(() => requestAnimationFrame(() => { document.getElementById('s').textContent = ''; document.title = 'gone' }));
		};
		</script>`)
	tr.sees(bot)
	first := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
	tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Selector: "#s:empty"}, State: "attached"})
	second := tr.told(bot, "page.hover", &action.Hover{Locator: selector("#b")})
	if told := first.Text + second.Text; !strings.Contains(told, `"Saved"`) {
		t.Errorf("first:\n%ssecond:\n%s", first.Text, second.Text)
	}
}

func TestNewErrorsAreTold(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button id=b onclick="console.error('old and new', 1); missing()">Do</button><script>console.error('before')</script>`)
	tr.sees(bot)
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
	if len(got.Errors) != 2 || !strings.HasPrefix(got.Errors[0], "old and new 1") || !strings.Contains(got.Errors[1], "missing is not defined") {
		t.Errorf("%q", got.Errors)
	}
	if again := tr.told(bot, "page.hover", &action.Hover{Locator: selector("#b")}); len(again.Errors) > 0 {
		t.Errorf("told twice: %q", again.Errors)
	}
}

func TestADialogIsToldInPlaceOfChanges(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button id=b onclick="if (confirm('Sure?')) this.textContent = 'Done'">Do</button>`)
	tr.sees(bot)
	before := tr.ctx
	tr.ctx = observe.Viewing(before, bot, true)
	r := tr.must("page.click", &action.Click{Locator: selector("#b")})
	tr.ctx = before
	if r.Modal == nil || r.Changes == nil || r.Changes.Text != "" || r.Changes.Snapshot != nil {
		t.Fatalf("%+v", r)
	}
	got := tr.told(bot, "page.dialog", &action.AnswerDialog{Accept: true})
	if !strings.Contains(got.Text, `button "Done"`) {
		t.Errorf("%+v", got)
	}
}

func TestFramesAreInReports(t *testing.T) {
	tr := start(t)
	inner := serve(t, `<!doctype html><button id=b onclick="this.textContent = 'Pressed'">Press</button>`)
	tr.visit(`<!doctype html><h1>Outside</h1><iframe title=Inner src="` + elsewhere(inner) + `"></iframe>`)
	tr.sees(bot)
	got := tr.told(bot, "page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Press"}})
	if !strings.HasPrefix(got.Text, "in iframe \"Inner\":\n~ button \"Pressed\" [e") {
		t.Errorf("%q", got.Text)
	}
}

func TestTabsThatComeAndGoAreShown(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<title>One</title><h1>First</h1><a href=/two target=_blank>Open</a>`, "/two": `<title>Two</title><h1>Second</h1>`})
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("a")})
	if got.Why != action.NewPage || !got.Moved || got.Snapshot == nil || !strings.Contains(got.Snapshot.Text, `heading "Second"`) {
		t.Fatalf("%+v", got)
	}
	tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
	got = tr.told(bot, "tab.close", &action.ByID{ID: tabs[1].ID})
	if got.Why != action.NewPage || got.Snapshot == nil || !strings.Contains(got.Snapshot.Text, `heading "First"`) {
		t.Errorf("%+v", got)
	}
}

func TestMuchThatChangedIsShownAsASnapshot(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><div id=app><button id=b>Go</button></div><script>
		document.getElementById('b').onclick = () => {
			document.getElementById('app').innerHTML = Array.from({length: 200}, (_, i) => '<h2>Part ' + i + '</h2><p>Some words on it that nobody reads, and more of them.</p>').join('');
		};</script>`)
	tr.sees(bot)
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
	if got.Why != action.MuchChanged || got.Snapshot == nil || got.Text != "" {
		t.Errorf("%s %d", got.Why, len(got.Text))
	}
}

// A list that another takes the place of is shown as it is now: what went and
// what came would be twice as much.
func TestWhatIsLongerToTellThanThePageIsShownAsASnapshot(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button id=b>Next</button><table><tbody id=rows></tbody></table><script>
		const rows = from => { document.getElementById('rows').innerHTML = Array.from({length: 15}, (_, i) => '<tr><td><a href=/' + (from + i) + '>Order ' + (from + i) + '</a><td>Ada Lovelace<td>' + (from + i) % 7 + ' pieces').join(''); };
		rows(1);
		document.getElementById('b').onclick = () => rows(16);</script>`)
	tr.sees(bot)
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
	if got.Why != action.MuchChanged || got.Snapshot == nil || !strings.Contains(got.Snapshot.Text, `link "Order 30"`) || got.Text != "" {
		t.Errorf("%s %q", got.Why, got.Text)
	}
}

// A page can set off changes without end: it is read all the same.
func TestAFloodOfChangesIsBounded(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button id=b>Go</button><div id=out></div><script>
		document.getElementById('b').onclick = () => {
			const spray = () => {
				for (let i = 0; i < 2000; i++) { const e = document.createElement('i'); e.setAttribute('role', 'alert'); document.getElementById('out').append(e); e.remove() }
				setTimeout(spray);
			};
			spray();
		};</script>`)
	tr.sees(bot)
	tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
	tr.told(bot, "page.hover", &action.Hover{Locator: selector("#b")})
}

// What the page has in place of the functions that the watch uses is not asked.
func TestThePageCannotSwitchTheWatchOff(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><form><input name=parentNode><input name=getRootNode><button type=button id=b>Go</button></form><p id=out>idle</p><script>
		MutationObserver.prototype.observe = () => {};
		window.MutationObserver = window.requestAnimationFrame = window.setTimeout = window.MessageChannel = undefined;
		Document.prototype.getAnimations = Element.prototype.querySelector = () => { throw new Error('no') };
		document.getElementById('b').onclick = () => { Promise.resolve().then(() => { document.getElementById('out').textContent = 'done' }) };
	</script>`)
	tr.sees(bot)
	wantChanges(t, tr.told(bot, "page.click", &action.Click{Locator: selector("#b")}), "~ text \"done\" (was \"idle\")\n")
}

func TestSecretsStayOutOfReports(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><input type=password id=p aria-label=Password><input id=c autocomplete=one-time-code aria-label=Code><p id=out>idle</p><script>
		for (const field of document.querySelectorAll('input')) field.oninput = () => { document.getElementById('out').textContent = field.value.length + ' letters' };
	</script>`)
	tr.sees(bot)
	for _, field := range []string{"#p", "#c"} {
		got := tr.told(bot, "page.type", &action.Type{Locator: selector(field), Input: "hunter2!"})
		if strings.Contains(got.Text, "hunter2") || !strings.Contains(got.Text, "8 letters") && field == "#p" {
			t.Errorf("%s: %q", field, got.Text)
		}
	}
}

// Many documents have a script fetch what they show.
func TestADocumentIsShownWithWhatItFetches(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><a href=/app>App</a>`)
	})
	mux.HandleFunc("/app", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>App</title><p id=out>Loading</p><script>
			fetch('/data').then(r => r.text()).then(words => { document.getElementById('out').textContent = words })</script>`)
	})
	mux.HandleFunc("/data", func(w http.ResponseWriter, r *http.Request) {
		testwait.Latency(r.Context(), 100*time.Millisecond)
		fmt.Fprint(w, "Hello Ada")
	})
	s := listen(t, mux)
	tr := start(t)
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	for name, got := range map[string]*action.Changes{
		"a click": tr.told(bot, "page.click", &action.Click{Locator: selector("a")}),
		"goto":    tr.told(bot, "page.goto", &action.Goto{URL: s.URL + "/app"}),
	} {
		if got.Snapshot == nil || !got.Late && !strings.Contains(got.Snapshot.Text, "Hello Ada") {
			t.Errorf("%s: %+v", name, got.Snapshot)
		}
	}
}

// A snapshot folds long runs; what changes in the rest of one is told all the
// same.
func TestChangesInFoldedRowsAreTold(t *testing.T) {
	tr := start(t)
	tr.visit(peopled(60))
	tr.sees(bot)
	got := tr.told(bot, "page.click", &action.Click{Locator: selector("tr:nth-child(50) button")})
	if !strings.Contains(got.Text, "in row \"49") || !strings.Contains(got.Text, "~ button \"Done\" [e") || strings.Count(got.Text, "\n") != 2 {
		t.Errorf("%s: %q", got.Why, got.Text)
	}
}

// TestMuchThatChangedIsShownAsASnapshotShowsIt checks that the snapshot in place of
// changes has what a snapshot of its own has, also where a long list was replaced,
// continued, or shortened.
func TestMuchThatChangedIsShownAsASnapshotShowsIt(t *testing.T) {
	const page = `<title>Orders</title><h1>Orders</h1><button id=x>Next</button><ul id=u></ul><script>
		const rows = (from, to) => Array.from({length: to - from}, (_, i) => '<li><a href="/' + (from + i) + '">Order ' + (from + i) + ' of somebody who wrote it</a> <button>Cancel ' + (from + i) + '</button>').join('')
		u.innerHTML = rows(0, 25)</script>`
	for name, change := range map[string]string{
		"another page of a list":       "u.innerHTML = rows(100, 125)",
		"a longer list, and much else": "u.insertAdjacentHTML('beforeend', rows(25, 60)), document.querySelector('h1').insertAdjacentHTML('afterend', Array.from({length: 60}, (_, i) => '<h2>Part ' + i + '</h2><p>Some words on it that somebody may read, and more of them.</p>').join(''))",
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(page)
			tr.eval("x.onclick = () => { " + change + " }")
			tr.sees(bot)
			got := tr.told(bot, "page.click", &action.Click{Locator: selector("#x")})
			if got.Snapshot == nil {
				t.Fatalf("changes: %s", got.Text)
			}
			if again := tr.sees(bot); got.Snapshot.Text != again {
				t.Errorf("%s:\n%s\na snapshot of its own:\n%s", got.Why, got.Snapshot.Text, again)
			}
		})
	}
}

// A menu hides the page behind it from those who do not see it, and the page comes back when
// the menu closes. What is as it was is one line.
func TestAPageThatComesBackFromBehindAMenuIsOneLine(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><title>Orders</title><div id=app><button id=open>Status</button><p>60 orders</p><table id=rows></table></div>
		<div id=menu role=menu hidden style="position:absolute;top:60px;left:90px;background:#fff"><div role=menuitem tabindex=-1>Open</div><div role=menuitem tabindex=-1>Closed</div></div>
		<script>for (let i = 0; i < 60; i++) rows.insertAdjacentHTML('beforeend', '<tr><td>Order ' + i + '<td><a href="#' + i + '">Details ' + i + '</a>');
		document.getElementById("open").onclick = () => { menu.hidden = false; app.ariaHidden = 'true' };
		menu.onclick = e => { menu.hidden = true; app.removeAttribute('aria-hidden'); document.getElementById("open").textContent = 'Status: ' + e.target.textContent };</script>`)
	tr.sees(bot)
	for range 2 {
		opened := tr.told(bot, "page.click", &action.Click{Locator: selector("#open")})
		if !strings.Contains(opened.Text, `+  menuitem "Closed"`) || strings.Count(opened.Text, "\n") > 8 {
			t.Errorf("opened:\n%s", opened.Text)
		}
		closed := tr.told(bot, "page.click", &action.Click{Locator: action.Locator{Role: "menuitem", Name: "Closed"}})
		if !strings.Contains(closed.Text, `+ button "Status: Closed"`) || !strings.Contains(closed.Text, "+ table") || !strings.Contains(closed.Text, "(back, as it was)") || strings.Count(closed.Text, "\n") > 8 {
			t.Errorf("closed:\n%s", closed.Text)
		}
	}
}
