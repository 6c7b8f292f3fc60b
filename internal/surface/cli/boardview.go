package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const mostListed = 8 // questions in the list at a time; the chosen one is among them

// cell is how many columns of a terminal a character takes.
func cell(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit cuts text to columns; what a terminal would act on is taken out.
func fit(text string, columns int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	used := 0
	for i, r := range text {
		if used += cell(r); used > columns {
			cut := []rune(text[:i])
			for len(cut) > 0 && used > columns-1 {
				used -= cell(cut[len(cut)-1])
				cut = cut[:len(cut)-1]
			}
			return string(cut) + "…"
		}
	}
	return text
}

// fold breaks text into lines of columns, at most so many.
func fold(text string, columns, most int) []string {
	var lines []string
	rest := []rune(strings.Join(strings.Fields(clean(text)), " "))
	for len(rest) > 0 && len(lines) < most {
		if len(lines) == most-1 {
			return append(lines, fit(string(rest), columns))
		}
		n, used := 0, 0
		for n < len(rest) && used+cell(rest[n]) <= columns {
			used += cell(rest[n])
			n++
		}
		n = max(n, 1)
		if space := strings.LastIndex(string(rest[:n]), " "); n < len(rest) && rest[n] != ' ' && space > 0 {
			n = len([]rune(string(rest[:n])[:space]))
		}
		lines = append(lines, string(rest[:n]))
		rest = []rune(strings.TrimPrefix(string(rest[n:]), " "))
	}
	return lines
}

// view is the board as lines of a terminal, none wider or more than it has.
func (b *board) view(s style, now time.Time, columns, rows int) []string {
	columns = max(columns, 24) // below that nothing can be read
	head := fmt.Sprintf("glovebox approvals: %d waiting", len(b.questions))
	if len(b.questions) == 0 {
		head = "glovebox approvals: nothing waits"
	}
	lines := []string{s.bold(fit(head, columns))}
	if b.lost != "" {
		lines = append(lines, s.bad(fit(b.lost, columns)))
	}
	lines = append(lines, "")
	lines = append(lines, b.list(s, now, columns)...)
	var foot []string
	if b.note != "" {
		foot = append(foot, s.warn(fit(b.note, columns)))
	}
	foot = append(foot, b.prompt(s, columns)...)
	if i := b.at(); i >= 0 {
		lines = append(lines, "")
		lines = append(lines, b.detail(s, b.questions[i], columns)...)
	}
	if room := max(0, rows-len(foot)-1); len(lines) > room { // the prompt is never cut
		lines = lines[:room]
	}
	return append(append(lines, ""), foot...)
}

// list is a line for each question around the chosen one.
func (b *board) list(s style, now time.Time, columns int) []string {
	from := max(0, min(b.at()-mostListed/2, len(b.questions)-mostListed))
	var lines []string
	for _, q := range b.questions[from:min(len(b.questions), from+mostListed)] {
		mark := "  "
		if q.ID == b.chosen {
			mark = "> "
		}
		left := max(0, q.Expires.Sub(now)).Round(time.Second)
		start := fmt.Sprintf("%s%-8s %2d:%02d ", mark, q.Risk, int(left.Minutes()), int(left.Seconds())%60)
		rest := fit(strings.TrimPrefix(q.Verb, "page.")+" "+first(sends(q.Request), element(q.Element), q.Input, q.Page.URL), max(1, columns-len(start)))
		if len(start) > columns {
			start, rest = fit(start, columns), ""
		}
		lines = append(lines, b.paint(s, q)(start)+rest)
	}
	if more := len(b.questions) - len(lines); more > 0 {
		lines = append(lines, s.dim(fit(fmt.Sprintf("  and %d more", more), columns)))
	}
	return lines
}

func (b *board) paint(s style, q action.Question) func(string) string {
	if q.Risk >= action.High {
		return s.bad
	}
	return s.warn
}

// sends is a request in one line; empty for none.
func sends(h *action.Held) string {
	if h == nil {
		return ""
	}
	return h.Method + " " + h.URL
}

// detail is all that is known of a question.
func (b *board) detail(s style, q action.Question, columns int) []string {
	const name = 9
	var lines []string
	row := func(label, value string) {
		for i, line := range fold(value, max(10, columns-name), 3) {
			if i > 0 {
				label = ""
			}
			lines = append(lines, s.dim(fmt.Sprintf("%-*s", name, label))+line)
		}
	}
	row("element", element(q.Element))
	row("in", q.Within)
	row("types", q.Input)
	for _, line := range requestRows(q.Request) {
		row(line.label, line.value)
	}
	row("page", q.Page.URL)
	row("why", q.Why)
	row("asked by", strings.TrimSpace(q.Actor+" in "+q.Session))
	if q.Screenshot != "" {
		row("picture", "press p")
	}
	return lines
}

// prompt says what keys do now, or shows what is typed.
func (b *board) prompt(s style, columns int) []string {
	var text string
	i := b.at()
	switch {
	case b.mode == reasoning:
		typed := string(b.reason)
		for len(typed) > 0 && len(fit(typed, columns-2)) < len(typed) {
			_, typed, _ = strings.Cut(typed, string([]rune(typed)[:1])) // its end is shown
		}
		return append(fold("why is this CRITICAL call approved? Enter sends, Esc leaves it", columns, 3), s.bold("> ")+typed)
	case b.mode == confirming:
		text = "really approve this HIGH call? y or n"
		return []string{s.bad(fit(text, columns))}
	case i < 0:
		text = "waiting for questions; q ends"
	case b.questions[i].Risk == action.Medium:
		text = "a approve, s approve for the session, d deny, p picture, up and down choose, q end"
	default:
		text = "a approve, d deny, p picture, up and down choose, q end"
	}
	return fold(text, columns, 3)
}
