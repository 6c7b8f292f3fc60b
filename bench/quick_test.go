package bench

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/compare"
	"github.com/gloveboxhq/glovebox/bench/peer"
)

// quickRows are the actions that BenchmarkQuick compares.
var quickRows = []string{
	rowClick, rowFill, rowFillScript, rowSelect, rowPress, rowHover, rowLook, rowLookTable, rowLookNews, rowShoot, rowGo, rowNews,
}

const (
	quickMargin  = 0.03                    // a smaller difference is none
	quickSlice   = 2500 * time.Millisecond // of one row at a time
	quickWarmUps = 3                       // rounds at the start of a row's first slice that are not counted; later, warmUps
	floorEvery   = 3                       // rounds until the floor acts again: it needs no interval
	quickAtLeast = 2                       // rounds of a slice, however long they take
)

// quickRun compares two versions of Glovebox, each with a gateway and a box of its own.
type quickRun struct {
	*comparison // for the site
	old, new    *target
	floor       *target
	times       map[string]*compare.Times
	why         map[string]string // a row has no value
	broken      map[string]bool   // the new version fails to do the row, and the old one does it
}

// BenchmarkQuick says whether the checked-out tree does an action slower than another commit.
func BenchmarkQuick(b *testing.B) {
	if len(quickNames()) == 0 {
		b.Fatalf("-only %q names none of %q", *only, quickRows)
	}
	commit, err := compare.Against(b.Context(), "..", *against)
	must(b, err)
	tree, err := compare.Tree(b.Context(), "..")
	must(b, err)
	say("old: %s\nnew: %s", commit.Title, tree)
	began := time.Now()
	newer, err := peer.Build(b.Context(), "..", "")
	must(b, err)
	older := newer
	if commit.ID != "" {
		older, err = peer.Build(b.Context(), "..", commit.ID)
		must(b, err)
	}
	say("built in %s", time.Since(began).Round(time.Second))
	load := loadAverage()
	q := openQuick(b, older, newer)
	for range b.N { // once, with -benchtime 1x
		q.share(*quickTime)
	}
	b.ReportMetric(0, "ns/op")
	report := compare.Report{Old: commit.Title, New: tree, Margin: quickMargin, Load: load + " before, " + loadAverage() + " after"}
	for _, name := range quickNames() {
		report.Rows = append(report.Rows, q.row(name))
	}
	fmt.Println()
	must(b, report.Table(os.Stdout))
	fmt.Println()
	if *jsonFile != "" {
		file, err := os.Create(*jsonFile)
		must(b, err)
		must(b, errors.Join(report.JSON(file), file.Close()))
	}
	if !slices.ContainsFunc(report.Rows, func(r compare.Row) bool { return r.Mark != compare.None }) {
		b.Error("nothing was measured")
	}
	if worse := report.Worse(); len(worse) > 0 && !*allow {
		b.Errorf("slower: %q", worse)
	}
}

func openQuick(b *testing.B, older, newer peer.Version) *quickRun {
	b.Helper()
	q := &quickRun{
		comparison: &comparison{b: b, site: newMCPSite(b)},
		times:      map[string]*compare.Times{}, why: map[string]string{}, broken: map[string]bool{},
	}
	open := func(v peer.Version) *target {
		s, err := v.Open(b, q.site.own, q.site.other)
		must(b, err)
		return &target{kind: peer.Glovebox, server: s, hand: handOf(b.Context(), s, nil)}
	}
	q.old, q.new = open(older), open(newer)
	q.floor = &target{kind: floorKind, hand: newFloorHand(b)}
	return q
}

// quickNames are the rows that are wanted.
func quickNames() []string {
	return slices.DeleteFunc(slices.Clone(quickRows), func(name string) bool { return !wanted(*only, name) })
}

// share gives each row a slice of the time, and then one row after the other, as next
// chooses, until the time is over.
func (q *quickRun) share(limit time.Duration) {
	end := time.Now().Add(limit)
	for _, name := range quickNames() {
		q.slice(name)
	}
	for time.Until(end) > quickSlice/2 {
		var measured []compare.Row
		for _, name := range quickNames() {
			if row := q.row(name); row.Mark != compare.None {
				measured = append(measured, row)
			}
		}
		if len(measured) == 0 {
			return
		}
		q.slice(next(measured).Name)
	}
}

// next is the row that needs time most: that with the fewest rounds if it has too few
// for a mark, and otherwise that with the widest interval.
func next(measured []compare.Row) compare.Row {
	least := slices.MinFunc(measured, func(x, y compare.Row) int { return cmp.Compare(x.Rounds, y.Rounds) })
	if least.Rounds < compare.Fewest {
		return least
	}
	return slices.MaxFunc(measured, func(x, y compare.Row) int { return cmp.Compare(x.Ratio.Width(), y.Ratio.Width()) })
}

func (q *quickRun) row(name string) compare.Row {
	if why := q.why[name]; why != "" {
		return compare.Row{Name: name, Mark: compare.None, Why: why, Broken: q.broken[name]}
	}
	return compare.NewRow(name, *q.times[name], quickMargin)
}

// turn is one that does a row.
type turn struct {
	do    doing
	round int
}

// take does the row once more.
func (t *turn) take() (float64, error) {
	start := time.Now()
	took, err := t.do(t.round)
	if took == 0 {
		took = time.Since(start)
	}
	t.round++
	return milliseconds(took), err
}

// slice does a row for a while. The version that is first in one round is second in
// the next, so that each follows itself as often as the other.
func (q *quickRun) slice(name string) {
	if q.why[name] != "" {
		return
	}
	if q.times[name] == nil {
		q.times[name] = &compare.Times{}
	}
	times := q.times[name]
	older, err := q.begin(name, q.old)
	oldFault := err
	newer, err := q.begin(name, q.new)
	if err := errors.Join(q.fault("old", oldFault), q.fault("new", err)); err != nil {
		q.why[name], q.broken[name] = err.Error(), oldFault == nil
		return
	}
	floor, err := q.begin(name, q.floor)
	if err != nil {
		q.why[name] = q.fault("floor", err).Error()
		return
	}
	begin := time.Now()
	for round := 0; round < quickAtLeast || time.Since(begin) < quickSlice; round++ {
		first, second := older, newer
		if round%2 == 1 {
			first, second = newer, older
		}
		one, err := first.take()
		two, other := second.take()
		if round%2 == 1 {
			one, two, err, other = two, one, other, err
		}
		if fault := errors.Join(q.fault("old", err), q.fault("new", other)); fault != nil {
			q.why[name], q.broken[name] = fault.Error(), err == nil
			return
		}
		times.Old, times.New = append(times.Old, one), append(times.New, two)
		if round%floorEvery == 0 {
			bare, err := floor.take()
			if err != nil {
				q.why[name] = q.fault("floor", err).Error()
				return
			}
			times.Floor = append(times.Floor, bare)
		}
	}
	row := q.row(name)
	say("%-28s %8.1f %8.1f ms, new/old %.3f to %.3f (%d rounds)", name, row.OldMS, row.NewMS, row.Ratio.Low, row.Ratio.High, row.Rounds)
}

// begin brings the page of a row up, and does the row a few times uncounted.
func (q *quickRun) begin(name string, t *target) (*turn, error) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
	do, err := rows[i].ready(q.comparison, t.hand)
	turn := &turn{do: do}
	warm := warmUps
	if len(q.times[name].Old) == 0 {
		warm = quickWarmUps
	}
	for i := 0; err == nil && i < warm; i++ {
		_, err = turn.take()
	}
	return turn, err
}

// fault says who failed.
func (q *quickRun) fault(who string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %.500s", who, err.Error())
}

func TestNextRow(t *testing.T) {
	row := func(name string, rounds int, width float64) compare.Row {
		return compare.Row{Name: name, Rounds: rounds, Ratio: compare.Ratio{Value: 1, Low: 1, High: 1 + width}}
	}
	for _, c := range []struct {
		rows []compare.Row
		want string
	}{
		{[]compare.Row{row("a", 100, 0.1), row("b", 50, 0.3), row("c", 20, 0.2)}, "b"},
		{[]compare.Row{row("a", 100, 0.1), row("b", 50, 0.3), row("c", 9, 0.2), row("d", 8, 0)}, "d"},
	} {
		if got := next(c.rows); got.Name != c.want {
			t.Errorf("of %v it chose %s, want %s", c.rows, got.Name, c.want)
		}
	}
}
