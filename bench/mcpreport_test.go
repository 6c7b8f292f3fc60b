package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

// command is what a reader types to have these tables written anew.
const command = "make bench-mcp"

// goal is what Glovebox is held to in a row. The table says whether it is met.
type goal struct {
	row  string
	text string
	met  func(ours, floor float64) bool
}

func atMost(row string, limit float64) goal {
	return goal{row, fmt.Sprintf("≤ %s", number(limit)), func(ours, _ float64) bool { return ours <= limit }}
}

func atLeast(row string, limit float64) goal {
	return goal{row, fmt.Sprintf("≥ %s", number(limit)), func(ours, _ float64) bool { return ours >= limit }}
}

// besideFloor allows so many milliseconds above the bare protocol.
func besideFloor(row string, above float64) goal {
	return goal{row, fmt.Sprintf("≤ floor + %s", number(above)), func(ours, floor float64) bool { return ours <= floor+above }}
}

var goals = []goal{
	atMost(rowEvaluate, 2), atMost(rowClick, 10), atMost(rowFill, 10), atMost(rowClickTable, 30), atMost(rowFillTable, 30),
	atMost(rowLook, 3), atMost(rowLookTable, 25), atMost(rowLookLarge, 150), besideFloor(rowGo, 5), besideFloor(rowNews, 5),
	atMost(rowLate, 20), atMost(valTaskMS, 500), atLeast(valSessions, 55), atMost(valTaskRead, 5500), atMost(valChange, 60),
	atMost(valReal, 2500), atMost(valSchemas, 4000), atLeast(valFrames, 7), atMost(valGateway, 40), atMost(valGrowth, 2),
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
		fmt.Fprintf(&whole, "\n**%s**\n\n%s", table.title, c.table(table.rows))
	}
	whole.WriteString("\n" + c.remarks())
	short := c.machine() + "\n\n" + c.table(mainRows)
	fmt.Println(whole.String())
	if !*write || *only != "" || *among != "" {
		return
	}
	must(c.b, golden.Write("../docs/benchmarks.md", "mcp", whole.String()))
	must(c.b, golden.Write("../README.md", "mcp", short))
}

func (c *comparison) table(names []string) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, t := range c.targets {
		fmt.Fprintf(&b, " %s |", t.kind)
		if t.kind == peer.Glovebox {
			b.WriteString(" goal | met |")
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(c.targets)+2) + "\n")
	for _, name := range names {
		b.WriteString(c.line(name))
	}
	return b.String()
}

func (c *comparison) line(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", name)
	floor := c.targets[0]
	for _, t := range c.targets {
		fmt.Fprintf(&b, " %s |", cell(t, name))
		if t.kind == peer.Glovebox {
			b.WriteString(verdict(t, floor, name))
		}
	}
	return b.String() + "\n"
}

func cell(t *target, name string) string {
	if value, ok := t.values[name]; ok {
		return number(value)
	}
	return "–"
}

// verdict is the goal of a row, and whether it is met.
func verdict(ours, floor *target, name string) string {
	for _, g := range goals {
		value, ok := ours.values[name]
		if g.row != name {
			continue
		}
		said := "**no**"
		if ok && g.met(value, floor.values[name]) {
			said = "yes"
		}
		return fmt.Sprintf(" %s | %s |", g.text, said)
	}
	return " | |"
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
