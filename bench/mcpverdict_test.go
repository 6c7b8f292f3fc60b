package bench

import (
	"errors"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

// measured is a target with one value.
func measured(kind peer.Kind, row string, value float64) *target {
	t := newTarget(kind)
	t.values[row] = value
	return t
}

func TestVerdict(t *testing.T) {
	floor := func(row string, value float64) *target { return measured(floorKind, row, value) }
	box := func(row string, value float64) *target { return measured(boxedKind, row, value) }
	for _, c := range []struct {
		row     string
		ours    float64
		targets []*target
		want    string
	}{
		{rowClick, 22, []*target{floor(rowClick, 10)}, " ≤ 2.2 × floor | yes |"},
		{rowClick, 22.1, []*target{floor(rowClick, 10)}, " ≤ 2.2 × floor | **no** |"},
		{rowClick, 22, nil, " ≤ 2.2 × floor | – |"},
		{rowClick, 22, []*target{newTarget(floorKind)}, " ≤ 2.2 × floor | – |"},
		{rowGo, 70, []*target{floor(rowGo, 50), box(rowGo, 61)}, " ≤ 1.15 × boxed floor, ≤ 1.4 × floor | yes |"},
		{rowGo, 70, []*target{floor(rowGo, 50), box(rowGo, 60)}, " ≤ 1.15 × boxed floor, ≤ 1.4 × floor | **no** |"},
		{rowGo, 71, []*target{floor(rowGo, 50), box(rowGo, 70)}, " ≤ 1.15 × boxed floor, ≤ 1.4 × floor | **no** |"},
		{rowGo, 70, []*target{floor(rowGo, 50)}, " ≤ 1.15 × boxed floor, ≤ 1.4 × floor | – |"},
		{valSessions, 17, []*target{floor(valSessions, 20)}, " ≥ 0.85 × floor | yes |"},
		{valSessions, 16.9, []*target{floor(valSessions, 20)}, " ≥ 0.85 × floor | **no** |"},
		{valTaskRead, 5500, nil, " ≤ 5,500 | yes |"},
		{valTools, 25, nil, " | |"},
	} {
		if got := verdict(measured(peer.Glovebox, c.row, c.ours), c.targets, c.row); got != c.want {
			t.Errorf("%s, %g: %q, want %q", c.row, c.ours, got, c.want)
		}
	}
	ours, bare := newTarget(peer.Glovebox), []*target{floor(rowClick, 10)}
	if got := verdict(ours, bare, rowClick); got != " ≤ 2.2 × floor | – |" {
		t.Errorf("a row that was not measured: %q", got)
	}
	ours.notes[rowClick] = errors.New("it was refused")
	if got := verdict(ours, bare, rowClick); got != " ≤ 2.2 × floor | **no** |" {
		t.Errorf("a row that failed: %q", got)
	}
}

// Every row that is timed is in a table, and every goal is one of a row.
func TestEveryRowIsInATable(t *testing.T) {
	shown := map[string]bool{}
	for _, table := range tables {
		for _, name := range table.rows {
			shown[name] = true
		}
	}
	for _, r := range rows {
		if !shown[r.name] {
			t.Errorf("%q is in no table", r.name)
		}
	}
	for _, g := range goals {
		if !shown[g.row] {
			t.Errorf("the goal %s is of %q, which is in no table", g.text(), g.row)
		}
	}
	for _, name := range append(mainRows, quickRows...) {
		if !shown[name] {
			t.Errorf("%q is in no table", name)
		}
	}
}

func TestTable(t *testing.T) {
	all := []*target{measured(floorKind, rowClick, 10), measured(boxedKind, rowClick, 12.34), measured(peer.Glovebox, rowClick, 20), newTarget(peer.Playwright)}
	got := tableOf(all, []string{rowClick})
	want := `| | floor | boxed floor | Glovebox | goal | met | Playwright MCP |
|---|---|---|---|---|---|---|
| click, small page | 10 | 12 | 20 | ≤ 2.2 × floor | yes | – |
`
	if got != want {
		t.Errorf("the table is\n%s", got)
	}
	head, _, _ := strings.Cut(tableOf(serversFirst(all), nil), "\n")
	if want := "| | Glovebox | goal | met | Playwright MCP | floor | boxed floor |"; head != want {
		t.Errorf("README's table begins with %s", head)
	}
}
