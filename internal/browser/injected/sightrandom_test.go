package injected_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// TestAnAddedRowIsNotSaidToHaveMoved checks that a row that was taken out of a list and
// put in again counts as new, also if another part of the page was read meanwhile.
func TestAnAddedRowIsNotSaidToHaveMoved(t *testing.T) {
	for name, between := range map[string]bool{"nothing read meanwhile": false, "another part read meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			p := blank(t)
			p.show(`<ul id=u></ul><p id=other>Another part</p>`)
			p.page(`u.innerHTML = Array.from({length: 90}, (_, i) => '<li><a href="#">Row ' + i + '</a>').join('')`)
			walk := func(number int, q injected.SnapshotOptions) *injected.Tree {
				q.Fold, q.Sight = true, number
				tree, err := p.frame.Snapshot(p.ctx, q)
				must(t, err)
				return tree
			}
			walk(1, injected.SnapshotOptions{})
			p.page(`(async () => { const row = u.children[5]; row.remove(); await new Promise(done => setTimeout(done)); u.append(row) })()`)
			if between {
				other, err := p.frame.Find(p.ctx, injected.Query{Selector: "#other"})
				must(t, err)
				walk(2, injected.SnapshotOptions{Root: other.Node})
			}
			if got := sum(walk(3, injected.SnapshotOptions{News: true, Since: 1}).Nodes); got.mixed {
				t.Errorf("it is said to have moved: %+v", got)
			}
			p.page(`u.append(u.children[3])`)
			if got := sum(walk(4, injected.SnapshotOptions{News: true, Since: 3}).Nodes); !got.mixed {
				t.Errorf("a row that moved is not said to have: %+v", got)
			}
		})
	}
}

// TestFoldedSightsTellWhateverAWholeReadingTells changes random lists at random
// and compares two sights of each with two complete readings. What the first
// sight read is in the second. What it only counted and has changed is read and
// marked as late. What was added is marked as new. All counts are right.
func TestFoldedSightsTellWhateverAWholeReadingTells(t *testing.T) {
	p := blank(t)
	number, folded := 0, 0
	late, fresh := 0, 0
	walk := func(q injected.SnapshotOptions) *injected.Tree {
		number++
		q.Fold, q.Sight = true, number
		tree, err := p.frame.Snapshot(p.ctx, q)
		must(t, err)
		return tree
	}
	whole := func() map[string]entry {
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		return entriesOf(tree.Nodes)
	}
	rapid.Check(t, func(rt *rapid.T) {
		list := &listMaker{t: rt, kind: rapid.SampledFrom([]string{"tr", "li", "div", "a", "role", "shadow", "option"}).Draw(rt, "kind")}
		p.show(list.html())
		p.page(listScript)
		walk(injected.SnapshotOptions{}) // so that the rows are not those of the list before, drawn anew
		p.page(list.fill(rapid.SampledFrom([]int{12, 30, 60}).Draw(rt, "rows")))
		var before *injected.Tree
		var was map[string]entry
		since := 0
		for range rapid.IntRange(2, 5).Draw(rt, "looks") {
			if before == nil || rapid.IntRange(0, 3).Draw(rt, "snapshot") == 0 {
				plain, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{Fold: true})
				must(t, err)
				shot := walk(injected.SnapshotOptions{})
				if was, is := flatten(t, &injected.Tree{Nodes: plain.Nodes}), flatten(t, &injected.Tree{Nodes: shot.Nodes}); was != is {
					rt.Fatalf("a snapshot is %s, and was %s", is, was)
				}
				if before == nil || !shot.Partial {
					before, was, since = shot, whole(), number
				}
			}
			for range rapid.IntRange(0, 4).Draw(rt, "changes") {
				p.page(list.change())
			}
			other := rapid.IntRange(0, 3).Draw(rt, "other") == 0
			away := map[string]bool{}
			if other { // somebody else looks in between
				walk(injected.SnapshotOptions{News: true, Since: since})
				there := whole()
				for id := range was {
					_, is := there[id]
					away[id] = !is
				}
				p.page(list.change())
			}
			after, is := walk(injected.SnapshotOptions{News: true, Since: since}), whole()
			c := sightCheck{t: rt, was: was, is: is, first: entriesOf(before.Nodes), second: entriesOf(after.Nodes), away: away, script: list.script}
			c.all(before.Nodes, after.Nodes)
			if sum(after.Nodes).mixed && !other && !c.reordered(true) {
				c.fail("nothing changed places, and something is said to have")
			}
			folded, late, fresh = folded+c.counted, late+c.late, fresh+c.fresh
			before, was, since = after, is, number
		}
	})
	if (folded == 0 || late == 0 || fresh == 0) && !testing.Short() { // few lists may lack one of them
		t.Errorf("%d were counted, %d read late, %d came uncounted", folded, late, fresh)
	}
}

// entry is a row as a walk read it.
type entry struct {
	content string
	place   int
	late    int
	still   bool
}

// entriesOf finds rows by their unique first word: "r17.".
func entriesOf(nodes []*injected.Node) map[string]entry {
	all := map[string]entry{}
	var look func(nodes []*injected.Node)
	look = func(nodes []*injected.Node) {
		for _, n := range nodes {
			words := rowWords(n)
			if len(words) != 1 || holdsRows[n.Role] { // which may have one left
				look(n.Children)
				continue
			}
			own := *n
			own.More, own.Fresh, own.Mixed, own.Late, own.Still, own.Fills, own.Container = 0, 0, false, 0, false, false, 0
			content, _ := json.Marshal(own)
			e, known := all[words[0]]
			if !known {
				e = entry{place: len(all)}
			}
			e.content += string(content)
			e.late += max(0, n.Late)
			e.still = e.still || n.Still
			all[words[0]] = e
		}
	}
	look(nodes)
	return all
}

var holdsRows = map[string]bool{"table": true, "rowgroup": true, "list": true, "combobox": true}

// rowWords returns the names of the rows that a node contains parts of.
func rowWords(n *injected.Node) []string {
	var found []string
	add := func(text string) {
		for _, word := range strings.Fields(text) {
			if name, _, is := strings.Cut(word, ":"); is && strings.HasPrefix(name, "r") && (len(found) == 0 || found[len(found)-1] != name) {
				found = append(found, name)
			}
		}
	}
	add(n.Text)
	add(n.Name)
	for _, child := range n.Children {
		for _, word := range rowWords(child) {
			add(word + ":")
		}
	}
	return found
}

type sightCheck struct {
	t                    *rapid.T
	was, is              map[string]entry
	first, second        map[string]entry
	away                 map[string]bool // when somebody else looked: what is hidden then and shown again may count as come
	script               []string
	counted, late, fresh int
}

func (c *sightCheck) fail(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("%s\nafter\n%s", fmt.Sprintf(format, args...), strings.Join(c.script, "\n"))
}

func (c *sightCheck) all(before, after []*injected.Node) {
	lateNow, freshLeft, either := 0, 0, 0
	for id, now := range c.is {
		then, was := c.was[id]
		_, had := c.first[id]
		read, has := c.second[id]
		if was && !had && c.away[id] {
			was = has && read.late != 0
			if !has {
				either++
				was = true
			}
		}
		switch {
		case had && !has:
			c.fail("%s was read, and is not any more", id)
		case had && read.late != 0:
			c.fail("%s was read, and is said to be late", id)
		case was && !had && !has && then.content != now.content:
			c.fail("%s is otherwise, and was not read: %s, was %s", id, now.content, then.content)
		case was && !had && has && read.late == 0:
			c.fail("%s was there unread, and is said to have come", id)
		case !was && has && read.late != 0:
			c.fail("%s has come, and is said to have been there", id)
		case read.still && then.content != now.content:
			c.fail("%s is otherwise, and said to be still", id)
		}
		if has && read.content != now.content {
			c.fail("%s was read as %s, and is %s", id, read.content, now.content)
		}
		if was && !had && has {
			lateNow++
		}
		if !was && !has {
			freshLeft++
		}
	}
	for id := range c.second {
		if _, there := c.is[id]; !there {
			c.fail("%s was read, and is not there", id)
		}
	}
	then, now := sum(before), sum(after)
	if want := len(c.was) - len(c.first); then.more != want {
		c.fail("%d were counted, want %d", then.more, want)
	}
	if want := len(c.is) - len(c.second); now.more != want || now.fresh < freshLeft || now.fresh > freshLeft+either || now.late != lateNow {
		c.fail("%+v, want %d counted, %d of them come, %d late", now, want, freshLeft, lateNow)
	}
	if c.reordered(false) && !now.mixed {
		c.fail("the order of what was not read changed, and nothing says so")
	}
	c.counted, c.late, c.fresh = now.more, lateNow, freshLeft
}

// reordered reports whether rows changed places: any rows, or only rows that
// neither sight read.
func (c *sightCheck) reordered(any bool) bool {
	order := map[int]int{}
	for id, then := range c.was {
		_, had := c.first[id]
		_, has := c.second[id]
		if now, there := c.is[id]; there && (any || !had && !has) {
			order[then.place] = now.place
		}
	}
	highest := -1
	for i := range len(c.was) {
		if place, is := order[i]; is {
			if place < highest {
				return true
			}
			highest = place
		}
	}
	return false
}

type sums struct {
	more, fresh, late int
	mixed             bool
}

func sum(nodes []*injected.Node) (all sums) {
	for _, n := range nodes {
		below := sum(n.Children)
		all.more += n.More + below.more
		all.fresh += n.Fresh + below.fresh
		all.late += max(0, n.Late) + below.late
		all.mixed = all.mixed || n.Mixed || below.mixed
	}
	return all
}

// listMaker makes a list and changes it. Rows are called r1, r2, …
type listMaker struct {
	t      *rapid.T
	kind   string
	last   int
	script []string
}

func (m *listMaker) html() string {
	style := `<style>.gone {display: none} .deep .far {color: red}</style>`
	switch m.kind {
	case "tr":
		return style + `<table><tbody id=list></tbody></table>`
	case "option":
		return style + `<select id=list aria-label=pick></select>`
	case "li":
		return style + `<ul id=list></ul>`
	}
	return style + `<div id=list></div>`
}

// listScript contains the functions that make the changes.
const listScript = `{
	const list = document.querySelector('#list');
	window.make = (kind, name) => {
		const html = {
			tr: '<td>' + name + ':<td><button>x</button><input type=checkbox aria-label=c>',
			li: '<b>' + name + ':</b><i>x</i>',
			div: '<a href=x>' + name + ':</a> <input aria-label=c value=a>',
			a: name + ':',
			role: '<div role=gridcell>' + name + ':</div>',
			option: name + ':',
		};
		const row = document.createElement({role: 'div', shadow: 'my-row'}[kind] ?? kind);
		if (kind === 'shadow') {
			row.style.display = 'block';
			row.attachShadow({mode: 'open'}).innerHTML = '<a href=x>' + name + ':<b>x</b></a>';
			return row;
		}
		if (kind === 'a') row.href = 'x';
		if (kind === 'role') row.setAttribute('role', 'row');
		row.innerHTML = html[kind];
		return row;
	};
	window.row = at => list.children[at % Math.max(1, list.children.length)];
	window.inner = at => { const all = [...(row(at).shadowRoot ?? row(at)).querySelectorAll('*')]; return all[at % Math.max(1, all.length)] ?? row(at) };
	window.list = list;
	// A row that was removed and added again counts as another row.
	window.rename = row => {
		const first = row.shadowRoot?.firstChild ?? row, walker = document.createTreeWalker(first, 4);
		for (let text; (text = walker.nextNode()) !== null;) text.data = text.data.replace(/r(\d+b*):/, 'r$1b:');
	};
}`

func (m *listMaker) fill(rows int) string {
	first := m.last + 1
	m.last += rows
	return m.noted(fmt.Sprintf(`list.append(...Array.from({length: %d}, (_, i) => make('%s', 'r' + (%d + i))))`, rows, m.kind, first))
}

func (m *listMaker) noted(script string) string {
	m.script = append(m.script, script)
	return script
}

func (m *listMaker) change() string {
	at := rapid.IntRange(0, 80).Draw(m.t, "at")
	to := rapid.IntRange(0, 80).Draw(m.t, "to")
	word := rapid.SampledFrom([]string{"y", "z", "v"}).Draw(m.t, "word")
	if len(m.script) > 0 && rapid.IntRange(0, 5).Draw(m.t, "more") == 0 {
		return m.fill(rapid.SampledFrom([]int{1, 5, 30}).Draw(m.t, "new"))
	}
	script := rapid.SampledFrom([]string{
		`{const at = inner(%[1]d); if (at.lastChild?.data && !at.lastChild.data.includes(':')) at.lastChild.data = '%[3]s'; else at.append(' %[3]s')}`,
		`row(%[1]d)?.setAttribute('aria-current', '%[3]s' === 'y')`,
		`{const c = row(%[1]d)?.querySelector('input'); if (c) { c.checked = !c.checked; c.value = '%[3]s' }}`,
		`row(%[1]d)?.remove()`,
		`row(%[1]d)?.before(row(%[2]d))`,
		`list.append(...[...list.children].reverse())`,
		`row(%[1]d)?.classList.toggle('gone')`,
		`{const r = row(%[1]d); if (r) r.style.display = r.style.display === 'none' ? '' : 'none'}`,
		`{const r = row(%[1]d); r?.remove(); new Promise(done => setTimeout(() => { if (r) { rename(r); list.append(r) } done() }))}`,
		`for (const r of [...list.children].slice(0, %[1]d)) r.classList.add('gone')`,
		`for (const r of [...list.children].slice(0, %[1]d)) r.classList.remove('gone')`,
		`{const p = list.parentNode; list.remove(); new Promise(done => setTimeout(() => { for (const r of list.children) rename(r); p.append(list); done() }))}`,
		`row(%[1]d)?.querySelector('a, button, input')?.focus()`,
		`for (const c of list.querySelectorAll('input')) c.checked = %[1]d %% 2 === 0`,
		`if (list.localName === 'select') list.selectedIndex = %[1]d; else list.classList.toggle('deep')`,
		`list.prepend(make('%[4]s', 'r%[5]d'))`,
	}).Draw(m.t, "change")
	if strings.Contains(script, "%[5]d") {
		m.last++
	}
	return m.noted(fmt.Sprintf(script+"%[6]s", at, to, word, m.kind, m.last, ""))
}
