package injected_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// WaitStable waits for late changes only if the page listens to the act's
// events.
func TestCalmWaitsWhereThePageListens(t *testing.T) {
	p := open(t, `<div id=outer><button id=a>a</button></div><button id=b onclick="1">b</button><button id=c>c</button>
		<custom-x id=host></custom-x><p id=out></p>
		<script>
			document.getElementById('outer').addEventListener('mousedown', () => {});
			window.addEventListener('mouseover', () => {});
			const shadow = document.getElementById('host').attachShadow({mode: 'open'});
			shadow.innerHTML = '<i id=inner>i</i>';
			shadow.addEventListener('click', () => {});
			const later = () => { setTimeout(() => { document.getElementById('out').textContent += 'x'; }, 1000); };
		</script>`)
	w := p.frame
	_, err := w.SyncListeners(p.ctx, &injected.ListenerCache{})
	must(t, err)
	for _, c := range []struct {
		selector string
		kinds    []string
		want     bool
	}{
		{"#a", []string{"click", "mousedown"}, true},
		{"#a", []string{"keydown"}, false},
		{"#b", []string{"click"}, true},
		{"#c", []string{"click", "mousedown", "pointerdown"}, false},
		{"#c", []string{"mouseover"}, true},
		{"#host", []string{"click"}, false},
		{"#inner", []string{"click"}, true},
	} {
		must(t, w.WatchAct(p.ctx, injected.ActWatch{Node: p.node(c.selector)}))
		p.page("later()")
		got, err := w.WaitStable(p.ctx, injected.StableQuery{Late: 20_000, Most: 20_000, Kinds: c.kinds})
		must(t, err)
		if got.Changed != c.want {
			t.Errorf("%s %v: %+v", c.selector, c.kinds, got)
		}
		p.page("new Promise(done => setTimeout(done, 1000))")
	}
}

// Suggestions for a text come later than other effects, and something else may change
// before them.
func TestSuggestionsAreWaitedForInFieldsThatSuggest(t *testing.T) {
	p := open(t, `<label>Name <input id=plain></label><input type=search id=search><input role=combobox id=combobox><input id=list list=l><datalist id=l></datalist>
		<input id=both aria-autocomplete=both><input id=none aria-autocomplete=none><search><input id=within></search><input id=placeholder placeholder="Search products">
		<label>Kunden suchen <input id=label></label><i id=clear></i><ul id=out></ul>
		<script>
			document.addEventListener('input', () => {});
			const later = () => {
				document.getElementById('clear').className = 'shown';
				setTimeout(() => { document.getElementById('out').innerHTML = '<li>Basel'; }, 1000);
			};
		</script>`)
	w := p.frame
	_, err := w.SyncListeners(p.ctx, &injected.ListenerCache{})
	must(t, err)
	reads := func(id string) bool {
		must(t, w.WatchAct(p.ctx, injected.ActWatch{Node: p.node("#" + id)}))
		p.page("out.textContent = ''; later()")
		_, err := w.WaitStable(p.ctx, injected.StableQuery{Late: 1, Kinds: []string{"input"}, Suggests: 20_000})
		must(t, err)
		shown := p.page("out.textContent") == "Basel"
		p.page("new Promise(done => { const look = () => out.textContent === 'Basel' ? done() : setTimeout(look, 10); look() })")
		return shown
	}
	for id, want := range map[string]bool{
		"plain": false, "none": false, "search": true, "combobox": true, "list": true, "both": true, "within": true, "placeholder": true, "label": true,
	} {
		if got := reads(id); got != want {
			t.Errorf("%s: waited %v, want %v", id, got, want)
		}
	}
}

// A field that showed no suggestions once is not waited for again.
func TestAFieldWithoutSuggestionsIsWaitedForOnce(t *testing.T) {
	p := open(t, `<input type=search id=q oninput="1"><p id=out></p><script>const later = () => { setTimeout(() => { out.innerHTML = '<b>late</b>'; }, 1000); }</script>`)
	w := p.frame
	_, err := w.SyncListeners(p.ctx, &injected.ListenerCache{})
	must(t, err)
	q := injected.StableQuery{Late: 1, Kinds: []string{"input"}, Suggests: 50}
	must(t, w.WatchAct(p.ctx, injected.ActWatch{Node: p.node("#q")}))
	p.page("setTimeout(() => {}, 60_000)")
	_, err = w.WaitStable(p.ctx, q)
	must(t, err)
	must(t, w.WatchAct(p.ctx, injected.ActWatch{Node: p.node("#q")}))
	p.page("later()")
	q.Suggests = 20_000
	if got, err := w.WaitStable(p.ctx, q); err != nil || got.Changed {
		t.Errorf("%+v, %v", got, err)
	}
}

// settle does what a page script does and returns the result of WaitStable.
func (p *tab) settle(script string, q injected.StableQuery) (injected.Stability, time.Duration) {
	p.t.Helper()
	w := p.frame
	must(p.t, w.WatchAct(p.ctx, injected.ActWatch{}))
	p.page(script)
	began := time.Now()
	c, err := w.WaitStable(p.ctx, q)
	must(p.t, err)
	return c, time.Since(began)
}

func TestCalmWaitsForWhatAnActSetsOff(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		late   int
		want   injected.Stability
		shown  bool // afterwards the page says done
	}{
		"nothing":           {"1", 0, injected.Stability{}, false},
		"at once":           {"show()", 0, injected.Stability{Changed: true}, true},
		"in a microtask":    {"Promise.resolve().then(show)", 0, injected.Stability{Changed: true}, true},
		"in the next task":  {"setTimeout(show)", 0, injected.Stability{Changed: true}, true},
		"by a message":      {"{const c = new MessageChannel(); c.port1.onmessage = show; c.port2.postMessage(0)}; 1", 0, injected.Stability{Changed: true}, true},
		"in steps":          {"document.title = 'a'; out.className = 'b'; setTimeout(() => {out.className = 'c'; setTimeout(show)}); 1", 0, injected.Stability{Changed: true}, true},
		"debounced":         {"setTimeout(show, 50); 1", 100, injected.Stability{Changed: true}, true},
		"later than waited": {"setTimeout(show, 60000); 1", 20, injected.Stability{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, `<p id=out></p><script>const out = document.getElementById('out'), show = () => { out.textContent = 'done'; }</script>`)
			got, _ := p.settle(c.script, injected.StableQuery{Late: c.late})
			if got.Changed != c.want.Changed || got.Busy != c.want.Busy {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if done := p.page("document.getElementById('out').textContent") == "done"; done != c.shown {
				t.Errorf("shown %v", done)
			}
		})
	}
}

// With a walk, the page is read when it is stable, and transient texts are
// reported.
func TestCalmReadsThePage(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		still  bool
		gone   []injected.TransientText
	}{
		"before the call": {"show(); 1", true, nil},
		"meanwhile":       {"setTimeout(show, 20); 1", false, nil},
		"a passing word":  {"say('Saved')", true, []injected.TransientText{{Role: "status", Text: "Saved"}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, `<p role=status id=s></p><button id=b hidden>Go on</button><script>
				const show = () => { document.getElementById('b').hidden = false; return 1; };
				const seen = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
				const say = async words => { const s = document.getElementById('s'); s.textContent = words; await seen(); s.textContent = ''; return show(); };
			</script>`)
			got, _ := p.settle(c.script, injected.StableQuery{Late: 10_000, Walk: &injected.SnapshotOptions{}})
			if !got.Changed || got.Still != c.still || !slices.Equal(got.Gone, c.gone) || got.Tree == nil || len(got.Tree.Nodes) != 1 || got.Tree.Nodes[0].Name != "Go on" {
				t.Errorf("%+v, tree %+v", got, got.Tree)
			}
		})
	}
}

// Changes that never end are not effects of an act.
func TestCalmDoesNotWaitForWhatChangesAnyway(t *testing.T) {
	p := open(t, `<p id=clock></p><p id=out></p><script>
		let n = 0;
		const tick = () => { document.getElementById('clock').textContent = n++; setTimeout(tick, 10) };
		tick();
		const loop = () => { document.getElementById('clock').style.left = n + 'px'; requestAnimationFrame(loop) };
		loop();
	</script>`)
	busy := 0 // waits that ended at their limit, and learned by that what does not end
	for range 4 {
		got, took := p.settle("1", injected.StableQuery{Most: 5000})
		if got.Busy {
			busy++
		}
		if busy > 1 || took > 4*time.Second {
			t.Errorf("%+v after %s", got, took)
		}
	}
	got, _ := p.settle("document.getElementById('out').textContent = 'done'; 1", injected.StableQuery{Most: 5000})
	if !got.Changed || got.Busy && busy > 0 {
		t.Errorf("%+v", got)
	}
}

func TestCalmWaitsUntilWhatComesIsSeen(t *testing.T) {
	p := open(t, `<style>#menu {opacity: 0; transition: opacity 200ms} #menu.open {opacity: 1}
		@keyframes spin {to {transform: rotate(1turn)}} #wheel {animation: spin 1s infinite}</style>
		<div id=menu>Menu</div><i id=wheel>o</i>`)
	p.page("getComputedStyle(document.getElementById('menu')).opacity")
	got, _ := p.settle("document.getElementById('menu').className = 'open'; 1", injected.StableQuery{Most: 10_000})
	if opacity := p.page("getComputedStyle(document.getElementById('menu')).opacity"); opacity != "1" || !got.Changed {
		t.Errorf("%+v, opacity %v", got, opacity)
	}
}

func TestWhatCameAndWentIsTold(t *testing.T) {
	p := open(t, `<div role=status id=s></div><div id=far style="position:absolute; left:-9999px" role=alert></div>
		<script>
			const seen = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))));
			const say = async (id, words) => { document.getElementById(id).textContent = words; await seen(); document.getElementById(id).textContent = ''; return 1 };
			const toast = async words => { const t = document.createElement('div'); t.setAttribute('role', 'alert'); t.textContent = words; document.body.append(t); await seen(); t.remove(); return 1 };
		</script>`)
	w := p.frame
	must(t, w.WatchAct(p.ctx, injected.ActWatch{}))
	p.page("say('s', 'Saved')")
	p.page("toast('Undone \\u200b!')")
	p.page("say('far', 'never seen')")
	p.page("document.getElementById('s').textContent = 'still here'; seen()")
	got, err := w.Transients(p.ctx)
	must(t, err)
	want := []injected.TransientText{{Role: "status", Text: "Saved"}, {Role: "alert", Text: "Undone !"}}
	if len(got.Gone) != 2 || got.Gone[0] != want[0] || got.Gone[1] != want[1] {
		t.Errorf("%+v", got)
	}
	if again, err := w.Transients(p.ctx); err != nil || len(again.Gone) > 0 {
		t.Errorf("told twice: %+v %v", again, err)
	}
}
