package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

// command is what a reader types to have these tables written anew.
const command = "make bench-mcp"

// goal is what Glovebox is held to in a row. The table says whether it is met.
type goal struct {
	row   string
	limit float64
	of    peer.Kind // limit is a multiple of this target's value; empty: of 1
	least bool      // limit is the least value; otherwise the most
}

func atMost(limit float64, of peer.Kind, rows ...string) []goal {
	var all []goal
	for _, row := range rows {
		all = append(all, goal{row: row, limit: limit, of: of})
	}
	return all
}

func atLeast(limit float64, of peer.Kind, row string) []goal {
	return []goal{{row, limit, of, true}}
}

// goals of time are ratios: both were measured in the same run.
var goals = slices.Concat(
	atMost(2.2, floorKind, rowEvaluate, rowClick, rowSelect, rowPress, rowHover, rowClickTable),
	atMost(3, floorKind, rowFill, rowFillScript, rowFillControl, rowFillDelegated, rowForm, rowFillTable),
	atMost(2, floorKind, rowLook, rowLookNews, rowLookFrames),
	atMost(1.3, floorKind, rowLookTable, rowLookLarge, rowShoot),
	atMost(1.15, boxedKind, rowGo, rowGoTable, rowNews),
	atMost(1.4, floorKind, rowGo, rowGoTable, rowNews),
	atMost(1.6, floorKind, valTaskMS),
	atLeast(0.85, floorKind, valSessions),
	atMost(20, "", rowLate), atMost(5500, "", valTaskRead), atMost(60, "", valChange), atMost(2500, "", valReal),
	atMost(4000, "", valSchemas), atLeast(7, "", valFrames), atMost(40, "", valGateway), atMost(2, "", valGrowth),
)

// text is the goal in a table.
func (g goal) text() string {
	sign, limit := "≤", number(g.limit)
	if g.least {
		sign = "≥"
	}
	if g.of != "" {
		limit = fmt.Sprintf("%g × %s", g.limit, g.of)
	}
	return sign + " " + limit
}

// met says whether a value meets the goal. known is false if there is nothing to
// compare it with.
func (g goal) met(ours float64, targets []*target) (met, known bool) {
	limit := g.limit
	if g.of != "" {
		i := slices.IndexFunc(targets, func(t *target) bool { return t.kind == g.of })
		if i < 0 {
			return false, false
		}
		base, measured := targets[i].values[g.row]
		if !measured {
			return false, false
		}
		limit *= base
	}
	if g.least {
		return ours >= limit, true
	}
	return ours <= limit, true
}

// valGrowth is between 200 actions and 2,000: what is kept for each.
const valGrowth = "memory grown from 200 to 2,000 actions, MB"

// tables are the parts of the report, with their rows.
var tables = []struct {
	title string
	rows  []string
}{
	{"Milliseconds", []string{
		rowEvaluate, rowClick, rowSelect, rowPress, rowHover, rowFill, rowFillScript, rowFillControl, rowFillDelegated, rowForm, rowClickTable, rowFillTable,
		rowLook, rowLookTable, rowLookNews, rowLookFrames, rowLookLarge, rowGo, rowGoTable, rowNews, rowLate, rowShoot,
	}},
	{"Suggestions of a search box", []string{rowSuggest, valSame}},
	{"Work", []string{valTaskMS, valTaskCalls, valTaskRead, valSessions, valFrames}},
	{"What a model reads", []string{valSchemas, valTools, valReal, valChange}},
	{"Memory of the server", []string{valMemory, valMemory200, valMemoryEnd, valGrowth, valGateway}},
}

// main are the rows that README shows.
var mainRows = []string{rowClick, rowFill, rowLookTable, rowGo, valTaskMS, valTaskRead, valSessions, valReal, valChange, valSchemas, valFrames, valMemoryEnd}

// report prints the tables, and keeps them when asked.
func (c *comparison) report() {
	for _, t := range c.targets {
		some, many := t.values[valMemory200], t.values[valMemoryEnd]
		if some > 0 && many > 0 {
			t.values[valGrowth] = many - some
		}
	}
	var whole bytes.Buffer
	whole.WriteString(c.machine() + "\n")
	for _, table := range tables {
		fmt.Fprintf(&whole, "\n**%s**\n\n%s", table.title, tableOf(c.targets, table.rows))
	}
	whole.WriteString("\n" + c.remarks())
	short := c.machine() + "\n\n" + tableOf(serversFirst(c.targets), mainRows)
	fmt.Println(whole.String())
	if !*write || *only != "" || *among != "" {
		return
	}
	must(c.b, golden.Write("../docs/benchmarks.md", "mcp", whole.String()))
	must(c.b, golden.Write("../README.md", "mcp", short))
}

// tableOf has a column for each target. The goal stands beside Glovebox.
func tableOf(targets []*target, names []string) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, t := range targets {
		fmt.Fprintf(&b, " %s |", t.kind)
		if t.kind == peer.Glovebox {
			b.WriteString(" goal | met |")
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(targets)+2) + "\n")
	for _, name := range names {
		fmt.Fprintf(&b, "| %s |", name)
		for _, t := range targets {
			fmt.Fprintf(&b, " %s |", cell(t, name))
			if t.kind == peer.Glovebox {
				b.WriteString(verdict(t, targets, name))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// serversFirst are the targets as README shows them: the servers first, and then
// the floors.
func serversFirst(targets []*target) []*target {
	sorted := slices.Clone(targets)
	slices.SortStableFunc(sorted, func(x, y *target) int { return cmp.Compare(rank(x), rank(y)) })
	return sorted
}

func rank(t *target) int {
	switch t.kind {
	case floorKind, boxedKind:
		return 1
	}
	return 0
}

func cell(t *target, name string) string {
	if value, ok := t.values[name]; ok {
		return number(value)
	}
	return "–"
}

// verdict is what a row's goals are, and whether all of them are met. A row that was
// not measured has neither met nor missed them.
func verdict(ours *target, targets []*target, name string) string {
	var texts []string
	missed, unknown := false, false
	for _, g := range goals {
		if g.row != name {
			continue
		}
		texts = append(texts, g.text())
		value, measured := ours.values[name]
		met, known := g.met(value, targets)
		switch {
		case !measured:
			missed, unknown = missed || ours.notes[name] != nil, true
		case !known:
			unknown = true
		case !met:
			missed = true
		}
	}
	switch {
	case texts == nil:
		return " | |"
	case missed:
		return fmt.Sprintf(" %s | **no** |", strings.Join(texts, ", "))
	case unknown:
		return fmt.Sprintf(" %s | – |", strings.Join(texts, ", "))
	}
	return fmt.Sprintf(" %s | yes |", strings.Join(texts, ", "))
}

// number has three digits that count, and commas.
func number(v float64) string {
	switch {
	case v != 0 && v > -10 && v < 10 && v != float64(int(v)):
		return fmt.Sprintf("%.1f", v)
	case v >= 1000:
		return fmt.Sprintf("%d,%03d", int(v+0.5)/1000, int(v+0.5)%1000)
	}
	return fmt.Sprintf("%.0f", v)
}

// machine says when, where and how the tables were made.
func (c *comparison) machine() string {
	return fmt.Sprintf("%s, `%s`, %d rounds at most, medians. %d cores (%s), %s of memory, %s, %s; in the box %s. Load average %s before, %s after; %s in all.",
		c.started.Format("2 January 2006, 15:04"), command, *rounds, runtime.NumCPU(), info("/proc/cpuinfo", `model name\s*:\s*(.*)`),
		gibibytes(), info("/etc/os-release", `PRETTY_NAME="(.*)"`), version(peer.Chromium(), "--version"),
		version("docker", "run", "--rm", "--network", "none", "--entrypoint", "/usr/lib/chromium/chromium", peer.Image(), "--version"),
		c.load, loadAverage(), time.Since(c.started).Round(time.Second))
}

func info(path, pattern string) string {
	text, _ := os.ReadFile(path)
	if m := regexp.MustCompile(pattern).FindSubmatch(text); m != nil {
		return strings.TrimSpace(string(m[1]))
	}
	return "unknown"
}

func gibibytes() string {
	var kibibytes int
	_, _ = fmt.Sscan(info("/proc/meminfo", `MemTotal:\s*(\d+)`), &kibibytes)
	return fmt.Sprintf("%d GiB", (kibibytes+1<<19)>>20)
}

func version(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return "Chromium of a version that does not show"
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(out)), " built on")
	return name
}

// remarks say who was left out, and what has no value for another reason than
// that there is no tool.
func (c *comparison) remarks() string {
	var b strings.Builder
	for _, t := range c.targets {
		if t.gone != nil {
			fmt.Fprintf(&b, "%s was left out or given up: %s\n\n", t.kind, firstLine(t.gone))
		}
		for name, why := range t.notes {
			fmt.Fprintf(&b, "%s, %s: %s\n\n", t.kind, name, firstLine(why))
		}
	}
	return b.String()
}

// firstLine is the beginning of what went wrong, without addresses of this
// run.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return regexp.MustCompile(`(localhost|127\.0\.0\.1):\d+`).ReplaceAllString(line[:min(len(line), 160)], "$1")
}
