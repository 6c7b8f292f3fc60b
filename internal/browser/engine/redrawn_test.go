package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// peoplePage draws a list of people, each with a button that says whose it is.
const peoplePage = `<!doctype html><title>People</title><h1 id=head>People</h1><button id=again>Refresh</button><div id=app></div><div id=other></div><script>
	let people = ['Alice', 'Bob', 'Carol', 'Dave'], tag = '', heard = [];
	const rows = () => people.map(name => '<tr' + tag + '><td>' + name + '</td><td><a href="/p?' + name + '">Open</a></td><td><button>Delete</button></td></tr>').join('');
	const listen = () => document.querySelectorAll('tr').forEach(tr => { const name = tr.cells[0].textContent; tr.querySelector('button').onclick = () => heard.push(name) });
	const drawRows = () => { document.querySelector('tbody').innerHTML = rows(); listen() };
	const draw = (at = app) => { at.innerHTML = '<section class="s' + Math.random() + '"><p>All people</p><table><tbody>' + rows() + '</tbody></table></section>'; listen() };
	draw();
	again.onclick = () => draw();
	</script>`

// redraws are ways to draw a list anew, with those whose references stand.
var redraws = map[string]struct{ script, kept string }{
	"all of it":                  {`draw()`, "Alice Bob Carol Dave"},
	"twice":                      {`draw(); draw()`, "Alice Bob Carol Dave"},
	"the rows":                   {`drawRows()`, "Alice Bob Carol Dave"},
	"one by one":                 {`document.querySelectorAll('tr').forEach(tr => { const name = tr.cells[0].textContent; tr.outerHTML = tr.outerHTML }); listen()`, "Alice Bob Carol Dave"},
	"emptied before":             {`document.querySelector('tbody').replaceChildren(); app.offsetTop; drawRows()`, "Alice Bob Carol Dave"},
	"in another order":           {`people.reverse(); drawRows()`, "Alice Bob Carol Dave"},
	"two swapped":                {`people = ['Bob', 'Alice', 'Carol', 'Dave']; draw()`, "Alice Bob Carol Dave"},
	"the first removed":          {`people.shift(); drawRows()`, "Bob Carol Dave"},
	"the first removed, all new": {`people.shift(); draw()`, "Bob Carol Dave"},
	"one more":                   {`people.unshift('Eve'); draw()`, "Alice Bob Carol Dave"},
	"one renamed":                {`people[1] = 'Rob'; drawRows()`, "Alice Carol Dave"},
	"a class":                    {`tag = ' class=selected'; draw()`, "Alice Bob Carol Dave"},
	"a twin":                     {`people.push('Bob'); draw()`, "Alice Carol Dave"},

	"other words around":  {`draw(); app.innerHTML = app.innerHTML.replace('All people', 'People who left'); listen()`, ""},
	"another heading":     {`head.textContent = 'Accounts'; draw()`, ""},
	"another address":     {`history.pushState(null, '', '?2'); draw()`, ""},
	"other ids":           {`tag = ' data-id=7'; draw()`, ""},
	"mostly others":       {`people = ['Eve', 'Frank', 'Carol', 'Grace']; draw()`, ""},
	"at another place":    {`app.replaceChildren(); draw(other)`, ""},
	"in a shadow root":    {`const html = app.innerHTML; app.innerHTML = '<div></div>'; app.firstChild.attachShadow({mode: 'open'}).innerHTML = html; app.firstChild.shadowRoot.querySelectorAll('button').forEach(b => b.onclick = () => heard.push('another'))`, ""},
	"behind another name": {`draw(); document.querySelectorAll('tr button').forEach(b => b.textContent = 'Remove')`, ""},
}

var deleteRow = regexp.MustCompile(`(?m)cell "(\w+)"\n(?:.*\n)??.*link "Open" \[(e\d+)\]\n.*button "(?:Delete|Remove)" \[(e\d+)\]`)

// peopleShown are the references of a snapshot's Delete buttons, by name.
func (tr *trial) peopleShown() map[string]string {
	tr.t.Helper()
	refs := map[string]string{}
	for _, m := range deleteRow.FindAllStringSubmatch(tr.sees(bot), -1) {
		refs[m[1]] = m[3]
	}
	return refs
}

// buttonsShown are the names of a snapshot's Delete buttons, by reference: several
// people may have the same name.
func (tr *trial) buttonsShown() map[string]string {
	tr.t.Helper()
	names := map[string]string{}
	for _, m := range deleteRow.FindAllStringSubmatch(tr.sees(bot), -1) {
		names[m[3]] = m[1]
	}
	return names
}

// heardOf is whose buttons were pressed since it was asked last.
func (tr *trial) heardOf() (names []string) {
	tr.t.Helper()
	must(tr.t, json.Unmarshal([]byte(tr.eval(`JSON.stringify(heard.splice(0))`)), &names))
	return names
}

func TestReferencesStandWhenTheSameIsDrawnAnew(t *testing.T) {
	tr := start(t)
	s := serve(t, peoplePage)
	for name, way := range redraws {
		if !testenv.Tried(name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr.t = t
			tr.must("page.goto", &action.Goto{URL: s.URL})
			refs := tr.peopleShown()
			if len(refs) != 4 {
				t.Fatalf("%v", refs)
			}
			tr.eval(way.script + "; 0")
			now := tr.peopleShown()
			for who, ref := range refs {
				_, err := tr.do("page.click", &action.Click{Locator: action.Locator{Ref: ref}, Timing: action.Timing{Timeout: 300}})
				heard := strings.Join(tr.heardOf(), " ")
				switch kept := strings.Contains(way.kept, who); {
				case kept && (err != nil || heard != who || now[who] != ref):
					t.Errorf("%s of %s, now %s: %v, and the page heard %q", ref, who, now[who], err, heard)
				case !kept && (err == nil || fault.CodeOf(err) != fault.StaleRef && fault.CodeOf(err) != fault.PageChanged || heard != ""):
					t.Errorf("%s of %s, which is gone: %v, and the page heard %q", ref, who, err, heard)
				}
			}
		})
	}
}

// What the page asks in a dialog is another question with other words.
func TestAnAnswerIsNotFollowedToAnotherQuestion(t *testing.T) {
	tr := start(t)
	for name, around := range map[string]string{
		"a dialog":            `<div role=dialog aria-label=Sure><p id=q></p><div id=a></div></div>`,
		"a box":               `<div><div id=all></div></div>`,
		"a table":             `<table><tbody id=all></tbody></table>`,
		"a dialog drawn anew": `<div id=all></div>`,
		"a panel":             `<h3 id=q></h3><div id=a></div>`,
	} {
		draw := map[string]string{
			"a dialog":            `q.textContent = 'Delete ' + who + '?'; a.innerHTML = '<button>OK</button><button>Cancel</button>'`,
			"a panel":             `q.textContent = who; a.innerHTML = '<button>OK</button><button>Cancel</button>'`,
			"a box":               `all.innerHTML = '<p>Delete ' + who + '?</p><button>OK</button>'`,
			"a table":             `all.innerHTML = '<tr><td>Delete ' + who + '?</td></tr><tr><td><button>OK</button></td></tr>'`,
			"a dialog drawn anew": `all.innerHTML = '<div role=dialog aria-label=Sure><ul><li>Delete</li><li>' + who + '</li></ul><button>OK</button></div>'`,
		}[name]
		t.Run(name, func(t *testing.T) {
			tr.t = t
			tr.visit(`<h1>People</h1>` + around + `<script>const heard = [], draw = who => { ` + draw + `; document.querySelector('button').onclick = () => heard.push(who) }; draw('Alice')</script>`)
			tr.sees(bot)
			ref := tr.refsOf("button", "OK")[0]
			tr.eval(`draw('Bob'); 0`)
			tr.sees(bot)
			tr.refuse(fault.StaleRef, "page.click", &action.Click{Locator: action.Locator{Ref: ref}})
			tr.eval(`draw('Bob'); 0`) // the same question
			again := tr.refsOf("button", "OK")[0]
			tr.sees(bot)
			tr.must("page.click", &action.Click{Locator: action.Locator{Ref: again}})
			if heard := tr.eval(`heard.join()`); heard != "Bob" {
				t.Errorf("heard %q", heard)
			}
		})
	}
}

func TestAReportIsSilentWhereTheSameIsDrawnAnew(t *testing.T) {
	tr := start(t)
	for name, html := range map[string]string{
		"short": peoplePage,
		"long":  strings.Replace(peoplePage, `draw();`, `people = Array.from({length: 500}, (_, i) => 'Person' + i); draw();`, 1),
		"words": strings.Replace(peoplePage, `<td><a href="/p?' + name + '">Open</a></td><td><button>Delete</button></td>`, `<td>x</td><td><i></i></td>`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			tr.t = t
			if name == "words" {
				html = strings.Replace(html, `tr.querySelector('button').onclick`, `tr.onerror`, 1)
			}
			s := serve(t, html)
			tr.must("page.goto", &action.Goto{URL: s.URL})
			tr.sees(bot)
			before := tr.refsOf("button", "Delete")
			for range 2 {
				wantChanges(t, tr.told(bot, "page.click", &action.Click{Locator: selector("#again")}), "")
			}
			if now := tr.refsOf("button", "Delete"); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("references %v became %v", before, now)
			}
			tr.eval(`people.splice(1, 1); 0`)
			got := tr.told(bot, "page.click", &action.Click{Locator: selector("#again")}).Text
			if !strings.Contains(got, "- row") || strings.Count(got, "\n") > 8 || strings.Contains(got, "+") && name != "long" {
				t.Errorf("one row less: %s", got)
			}
		})
	}
}

// A verdict is for the element that was judged, and not for what is drawn in its place.
func TestAPinIsNotFollowed(t *testing.T) {
	tr := start(t)
	tr.visit(peoplePage)
	args := &action.Click{Locator: action.Locator{Ref: tr.peopleShown()["Bob"]}}
	_, pin, err := tr.Look(tr.ctx, "page.click", args)
	must(t, err)
	tr.eval(`draw(); 0`)
	tr.peopleShown()
	_, err = tr.Do(tr.ctx, "page.click", args, pin)
	expect(t, fault.PageChanged, err)
	if heard := tr.heardOf(); len(heard) > 0 {
		t.Errorf("heard %v", heard)
	}
	tr.must("page.click", args) // judged as it is now
}

// peopleSteps are what random pages do to their people; a and b are two places.
var peopleSteps = []string{
	`drawRows()`, `draw()`, `people.splice(a, 1)`, `people.splice(a, 0, 'N' + b)`, `people.splice(a, 1, people[b])`, `[people[a], people[b]] = [people[b], people[a]]`,
	`people.reverse()`, `people[a] = 'N' + b`, `document.querySelectorAll('tr')[a]?.remove()`, `{const tr = document.querySelectorAll('tr')[a]; if (tr) { tr.outerHTML = tr.outerHTML; listen() }}`,
	`{const all = document.querySelectorAll('tr'); if (all[a] && all[b]) all[a].before(all[b])}`, `{const td = document.querySelectorAll('tr')[a]?.cells[0]; if (td) { td.textContent = 'M' + b; listen() }}`,
	`{const all = document.querySelectorAll('tr'); if (all[a] && all[b]) { all[a].innerHTML = all[b].innerHTML; listen() }}`, `app.innerHTML = app.innerHTML; listen()`, `app.innerHTML = ''; draw()`,
}

func TestNoHistoryOfWhatIsDrawnAnewMakesAReferenceHitAnother(t *testing.T) {
	tr := start(t)
	s := serve(t, peoplePage)
	rapid.Check(t, func(r *rapid.T) {
		tr.must("page.goto", &action.Goto{URL: s.URL})
		shown := map[string]string{} // whose a reference was when it was shown last
		for range rapid.IntRange(1, 6).Draw(r, "acts") {
			maps.Copy(shown, tr.buttonsShown())
			for _, looks := range rapid.SliceOfN(rapid.Bool(), 0, 5).Draw(r, "steps") {
				step, a, b := rapid.SampledFrom(peopleSteps).Draw(r, "step"), rapid.IntRange(0, 4).Draw(r, "a"), rapid.IntRange(0, 4).Draw(r, "b")
				tr.eval(fmt.Sprintf("{const a = %d, b = %d; %s; people = people.filter(name => name !== undefined)}; 0", a, b, step))
				if looks {
					maps.Copy(shown, tr.buttonsShown())
				}
			}
			for ref, who := range shown {
				_, err := tr.do("page.click", &action.Click{Locator: action.Locator{Ref: ref}, Timing: action.Timing{Timeout: 150}})
				if heard := tr.heardOf(); err == nil && fmt.Sprint(heard) != "["+who+"]" || err != nil && len(heard) > 0 {
					r.Fatalf("%s of %s: %v, and the page heard %v", ref, who, err, heard)
				}
			}
		}
	})
}

// ordersPage is a table of fields that draws itself anew with each change.
const ordersPage = `<!doctype html><title>Orders</title><h1>Orders</h1><div id=app></div><script>
	const model = [{name: 'Pen', count: '2', note: ''}, {name: 'Cup', count: '1', note: 'red'}, {name: '', count: '', note: ''}, {name: '', count: '', note: ''}];
	const draw = () => {
		const at = document.activeElement?.dataset?.at;
		app.innerHTML = '<table><tbody>' + model.map((row, i) => '<tr>' + Object.keys(row).map(key => '<td><input aria-label="' + key + '" DATA value="' + row[key] + '"></td>').join('')
			+ '<td><input type=checkbox aria-label=paid></td><td>' + (row.count * 3 || 0) + '.00</td><td><button>Delete</button></td></tr>').join('') + '</tbody><tfoot><tr><td>Sum ' + model.reduce((sum, row) => sum + row.count * 3, 0) + '.00</td></tr></tfoot></table>';
		app.querySelectorAll('tr').forEach((tr, i) => tr.querySelectorAll('input:not([type])').forEach(input => {
			input.addEventListener('EVENT', () => { model[i][input.ariaLabel] = input.value; draw() });
		}));
		REFOCUS
	};
	draw();
	</script>`

var refocus = `if (at) { const again = app.querySelector('[data-at="' + at + '"]'); again.focus(); again.setSelectionRange(99, 99) }`

// Each field of a table that draws itself anew when one is filled can be filled
// by the references of one snapshot.
func TestFieldsThatAreDrawnAnewAreFilled(t *testing.T) {
	tr := start(t)
	for name, html := range map[string]string{
		"on change": strings.NewReplacer("EVENT", "change", "REFOCUS", "", "DATA", "").Replace(ordersPage),
		"on input":  strings.NewReplacer("EVENT", "input", "REFOCUS", refocus, "DATA", `data-at="' + i + key + '"`).Replace(ordersPage),
	} {
		t.Run(name, func(t *testing.T) {
			tr.t = t
			tr.visit(html)
			tr.sees(bot)
			refs := map[string][]string{}
			for _, key := range []string{"name", "count", "note"} {
				refs[key] = tr.refsOf("textbox", key)
			}
			if len(refs["name"]) != 4 {
				t.Fatalf("%v", refs)
			}
			for row := range 4 {
				for _, key := range []string{"name", "count", "note"} {
					tr.must("page.type", &action.Type{Locator: action.Locator{Ref: refs[key][row]}, Input: fmt.Sprint(10*(row+1) + len(key)), Clear: true})
				}
			}
			want := `[{"name":"14","count":"15","note":"14"},{"name":"24","count":"25","note":"24"},{"name":"34","count":"35","note":"34"},{"name":"44","count":"45","note":"44"}]`
			if got := tr.eval(`JSON.stringify(model)`); got != want {
				t.Errorf("the page has %s", got)
			}
		})
	}
}
