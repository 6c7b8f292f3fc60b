package tasks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
)

// Report is what came of all tasks with all servers that were there.
type Report struct {
	Kinds    []peer.Kind
	Missing  []string // servers that were not there, and why
	Outcomes map[peer.Kind]map[string]Outcome
}

func newReport() *Report { return &Report{Outcomes: map[peer.Kind]map[string]Outcome{}} }

// Note keeps an outcome.
func (r *Report) Note(kind peer.Kind, o Outcome) {
	if r.Outcomes[kind] == nil {
		r.Outcomes[kind] = map[string]Outcome{}
	}
	r.Outcomes[kind][o.Task] = o
}

// tried are the tasks that were done at all.
func (r *Report) tried() []string {
	var names []string
	for _, site := range sites.All() {
		if slices.ContainsFunc(r.Kinds, func(k peer.Kind) bool { return r.Outcomes[k][site.Name].Task != "" }) {
			names = append(names, site.Name)
		}
	}
	return names
}

// shared are the tasks that every server did: what is compared.
func (r *Report) shared() []string {
	var names []string
	for _, name := range r.tried() {
		if !slices.ContainsFunc(r.Kinds, func(k peer.Kind) bool { return r.Outcomes[k][name].Err != nil }) {
			names = append(names, name)
		}
	}
	return names
}

// sum is what a server took for some tasks.
type sum struct {
	done, failed, cannot, calls, tokens int
	took                                time.Duration
}

func (r *Report) sum(kind peer.Kind, names []string) sum {
	var s sum
	for _, name := range names {
		o := r.Outcomes[kind][name]
		switch {
		case o.Err == nil:
			s.done++
		case o.Cannot():
			s.cannot++
		default:
			s.failed++
		}
		s.calls, s.tokens, s.took = s.calls+o.Calls, s.tokens+o.Tokens, s.took+o.Took
	}
	return s
}

// Markdown is the report as tables.
func (r *Report) Markdown() string {
	var b strings.Builder
	all, shared := r.tried(), r.shared()
	row := func(title string, cell func(k peer.Kind) string) {
		b.WriteString("| " + title)
		for _, k := range r.Kinds {
			b.WriteString(" | " + cell(k))
		}
		b.WriteString(" |\n")
	}
	row("", func(k peer.Kind) string { return string(k) })
	row("---", func(peer.Kind) string { return "---" })
	row(fmt.Sprintf("done, of %d", len(all)), func(k peer.Kind) string { return fmt.Sprint(r.sum(k, all).done) })
	row("failed", func(k peer.Kind) string { return fmt.Sprint(r.sum(k, all).failed) })
	row("has no tool for it", func(k peer.Kind) string { return fmt.Sprint(r.sum(k, all).cannot) })
	fmt.Fprintf(&b, "\nThe %d tasks that all of them did:\n\n", len(shared))
	row("", func(k peer.Kind) string { return string(k) })
	row("---", func(peer.Kind) string { return "---" })
	row("calls", func(k peer.Kind) string { return fmt.Sprint(r.sum(k, shared).calls) })
	row("tokens read", func(k peer.Kind) string { return thousands(r.sum(k, shared).tokens) })
	row("seconds", func(k peer.Kind) string { return fmt.Sprintf("%.1f", r.sum(k, shared).took.Seconds()) })
	b.WriteString("\n<details><summary>Each task: calls, tokens, milliseconds</summary>\n\n")
	row("task", func(k peer.Kind) string { return string(k) })
	row("---", func(peer.Kind) string { return "---" })
	for _, name := range all {
		row(name, func(k peer.Kind) string { return r.Outcomes[k][name].cell() })
	}
	b.WriteString("\n</details>\n")
	for _, missing := range r.Missing {
		b.WriteString("\n" + missing + "\n")
	}
	return b.String()
}

// String is one line that says how it went.
func (o Outcome) String() string {
	if o.Err != nil {
		return fmt.Sprintf("%s %.300s", o.cell(), strings.Join(strings.Fields(o.Err.Error()), " "))
	}
	return o.cell()
}

func (o Outcome) cell() string {
	switch {
	case o.Cannot():
		return "cannot"
	case o.Err != nil:
		return "**failed**"
	}
	return fmt.Sprintf("%d, %s, %d", o.Calls, thousands(o.Tokens), o.Took.Milliseconds())
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
