package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
	"golang.org/x/text/width"
)

const maxListed = 8 // questions in the list at a time; the chosen one is among them

// cellWidth is how many columns of a terminal a character takes.
func cellWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fitColumns cuts text to columns and removes control characters.
func fitColumns(text string, columns int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	used := 0
	for i, r := range text {
		if used += cellWidth(r); used > columns {
			cut := []rune(text[:i])
			for len(cut) > 0 && used > columns-1 {
				used -= cellWidth(cut[len(cut)-1])
				cut = cut[:len(cut)-1]
			}
			return string(cut) + "…"
		}
	}
	return text
}

// wrap breaks text into lines of columns, at most so many.
func wrap(text string, columns, most int) []string {
	var lines []string
	rest := []rune(strings.Join(strings.Fields(clean(text)), " "))
	for len(rest) > 0 && len(lines) < most {
		if len(lines) == most-1 {
			return append(lines, fitColumns(string(rest), columns))
		}
		n, used := 0, 0
		for n < len(rest) && used+cellWidth(rest[n]) <= columns {
			used += cellWidth(rest[n])
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

// view renders the model as lines that fit into a terminal.
func (m *approvalsModel) view(s style, now time.Time, columns, rows int) []string {
	columns = max(columns, 24) // nothing can be read in fewer
	head := fmt.Sprintf("glovebox approvals: %d waiting", len(m.questions))
	if len(m.questions) == 0 {
		head = "glovebox approvals: nothing waits"
	}
	lines := []string{s.bold(fitColumns(head, columns))}
	if m.lost != "" {
		lines = append(lines, s.bad(fitColumns(m.lost, columns)))
	}
	lines = append(lines, "")
	lines = append(lines, m.list(s, now, columns)...)
	var foot []string
	if m.note != "" {
		foot = append(foot, s.warn(fitColumns(m.note, columns)))
	}
	foot = append(foot, m.prompt(s, columns)...)
	if i := m.at(); i >= 0 {
		lines = append(lines, "")
		lines = append(lines, m.detail(s, m.questions[i], columns)...)
	}
	if room := max(0, rows-len(foot)-1); len(lines) > room { // the prompt is never cut
		lines = lines[:room]
	}
	return append(append(lines, ""), foot...)
}

// list is a line for each question around the chosen one.
func (m *approvalsModel) list(s style, now time.Time, columns int) []string {
	from := max(0, min(m.at()-maxListed/2, len(m.questions)-maxListed))
	var lines []string
	for _, q := range m.questions[from:min(len(m.questions), from+maxListed)] {
		mark := "  "
		if q.ID == m.chosen {
			mark = "> "
		}
		left := max(0, q.Expires.Sub(now)).Round(time.Second)
		start := fmt.Sprintf("%s%-8s %2d:%02d ", mark, q.Risk, int(left.Minutes()), int(left.Seconds())%60)
		rest := fitColumns(strings.TrimPrefix(q.Verb, "page.")+" "+first(sends(q.Request), element(q.Element), q.Input, q.Page.URL), max(1, columns-len(start)))
		if len(start) > columns {
			start, rest = fitColumns(start, columns), ""
		}
		lines = append(lines, m.paint(s, q)(start)+rest)
	}
	if more := len(m.questions) - len(lines); more > 0 {
		lines = append(lines, s.dim(fitColumns(fmt.Sprintf("  and %d more", more), columns)))
	}
	return lines
}

func (m *approvalsModel) paint(s style, q action.Question) func(string) string {
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

// detail renders everything that is known about a question.
func (m *approvalsModel) detail(s style, q action.Question, columns int) []string {
	const name = 9
	var lines []string
	row := func(label, value string) {
		for i, line := range wrap(value, max(10, columns-name), 3) {
			if i > 0 {
				label = ""
			}
			lines = append(lines, s.dim(fmt.Sprintf("%-*s", name, label))+line)
		}
	}
	row("element", element(q.Element))
	row("in", q.Within)
	row("types", q.Input)
	for _, line := range requestRows(q) {
		row(line.label, line.value)
	}
	row("page", q.Page.URL)
	row("why", q.Why)
	row("asked by", strings.TrimSpace(q.Actor+" in "+q.Session))
	row("watch", watchCommand(q))
	if q.Screenshot != "" {
		row("picture", "press p")
	}
	return lines
}

// prompt says what keys do now, or shows what is typed.
func (m *approvalsModel) prompt(s style, columns int) []string {
	var text string
	i := m.at()
	switch {
	case m.mode == reasoning:
		typed := string(m.reason)
		for len(typed) > 0 && len(fitColumns(typed, columns-2)) < len(typed) {
			_, typed, _ = strings.Cut(typed, string([]rune(typed)[:1])) // the end is shown
		}
		return append(wrap("why is this CRITICAL call approved? Enter sends, Esc leaves it", columns, 3), s.bold("> ")+typed)
	case m.mode == confirming:
		text = "really approve this HIGH call? y or n"
		return []string{s.bad(fitColumns(text, columns))}
	case i < 0:
		text = "waiting for questions; q ends"
	case m.questions[i].Risk == action.Medium:
		text = "a approve, s approve for the session, d deny, p picture, up and down choose, q end"
	default:
		text = "a approve, d deny, p picture, up and down choose, q end"
	}
	return wrap(text, columns, 3)
}
