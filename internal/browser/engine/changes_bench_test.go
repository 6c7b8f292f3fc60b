package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
)

// peopled is a table of rows with a button each.
func peopled(rows int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>People</title><h1>People</h1><p id=count>0</p><button id=b>Count</button><input id=i aria-label=Name><table>`)
	for i := range rows {
		fmt.Fprintf(&b, `<tr><td>%d</td><td>Person %d</td><td>p%d@example.com</td><td><button onclick="this.textContent = 'Done'">Invite</button></td></tr>`, i, i, i)
	}
	b.WriteString(`</table><script>let n = 0; document.getElementById('b').onclick = () => { document.getElementById('count').textContent = ++n }</script>`)
	return b.String()
}

// BenchmarkReports compares an act with the same act and its report.
func BenchmarkReports(b *testing.B) {
	for name, rows := range map[string]int{"small": 5, "table": 500, "huge": 7000} {
		tr := start(b)
		tr.visit(peopled(rows))
		for act, call := range map[string]struct {
			verb string
			args any
		}{
			"click": {"page.click", &action.Click{Locator: selector("#b")}},
			"idle":  {"page.click", &action.Click{Locator: selector("h1")}},
			"fill":  {"page.type", &action.Type{Locator: selector("#i"), Input: "hello", Clear: true}},
		} {
			for _, report := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/%s/report=%v", name, act, report), func(b *testing.B) {
					before := tr.ctx
					defer func() { tr.ctx = before }()
					tr.ctx = observe.Viewing(tr.ctx, bot, report)
					tr.must(call.verb, call.args)
					for b.Loop() {
						tr.must(call.verb, call.args)
					}
				})
			}
		}
	}
}
