package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (tr *trial) console(a action.ReadConsole) []action.ConsoleMessage {
	tr.t.Helper()
	return tr.must("page.console", &a).Data.(*action.ConsoleListing).Messages
}

// wrote waits until the console has a message that holds words.
func (tr *trial) wrote(words string) action.ConsoleMessage {
	tr.t.Helper()
	for tr.ctx.Err() == nil {
		for _, m := range tr.console(action.ReadConsole{Limit: 1000}) {
			if strings.Contains(m.Text, words) {
				return m
			}
		}
		_, _ = tr.Do(tr.ctx, "page.extract", &action.Extract{Mode: "title"}, action.Pin{}) // goes to the page and back
	}
	tr.t.Fatalf("nothing holds %q: %+v", words, tr.console(action.ReadConsole{Limit: 20}))
	return action.ConsoleMessage{}
}

func TestConsoleShowsValuesOfEveryType(t *testing.T) {
	tr := start(t)
	for source, want := range map[string]string{
		`'plain', 1, -0, 1.5, NaN, 12n, true, null, undefined`: "plain 1 -0 1.5 NaN 12n true null undefined",
		`{a: 1, b: 'x', c: null, d: [1], e: undefined}`:        `{a: 1, b: "x", c: null, d: Array(1), e: undefined}`,
		`[1, 'two', {three: 3}]`:                               `[1, "two", Object]`,
		`new Map([['k', 1]]), new Set([2])`:                    `Map(1) {"k" => 1} Set(1) {2}`,
		`Symbol('s'), /re/g, document.documentElement`:         `Symbol(s) /re/g html`,
		`'%s is %d %% of %o%c', 'it', 5, {x: 1}, 'color:red'`:  `it is 5 % of {x: 1}`,
		`'100% sure', 1`: `100% sure 1`,
		`new (class Point { constructor() { this.x = 1 } })`: `Point {x: 1}`,
		`function named() {}`:                                `function named() {}`,
		`'see https://a.example/?token=abc123'`:              `see https://a.example/?token=(masked)`,
		`'a\u001b[31m\u200bb'`:                               `a[31mb`,
	} {
		tr.visit(`<script>console.log(` + source + `, 'end')</script>`)
		if got := tr.wrote("end").Text; got != want+" end" {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
		tr.console(action.ReadConsole{Clear: true})
	}
	if left := tr.console(action.ReadConsole{}); len(left) != 0 {
		t.Errorf("after clear there is %+v", left)
	}
}

func TestConsoleLevelsLinesAndErrors(t *testing.T) {
	tr := start(t)
	before := time.Now().Add(-time.Second)
	s := tr.visit("<script>\nconsole.log('l');\nconsole.info('i'); console.warn('w'); console.error('e'); console.debug('d')\n" +
		"console.assert(false, 'a'); Promise.reject(new Error('rejected'));\nsetTimeout(() => { throw new TypeError('thrown') });setTimeout(() => { throw 'text' })</script><img src=/missing?session=0123456789>")
	tr.wrote("rejected")
	tr.wrote("thrown")
	tr.wrote("Uncaught text")
	missing := tr.wrote("status of 404")
	if missing.Level != "error" || missing.URL != s.URL+"/missing?session=(masked)" || missing.Line != 0 {
		t.Errorf("what the browser says of a missing file: %+v", missing)
	}
	for text, want := range map[string]struct {
		level string
		line  int
	}{
		"l": {"log", 2}, "i": {"info", 3}, "w": {"warn", 3}, "e": {"error", 3}, "d": {"debug", 3}, "Assertion failed: a": {"error", 4},
		"Uncaught (in promise) Error: rejected": {"error", 4}, "Uncaught TypeError: thrown": {"error", 5}, "Uncaught text": {"error", 5},
	} {
		found := false
		for _, m := range tr.console(action.ReadConsole{}) {
			head, _, _ := strings.Cut(m.Text, "\n")
			if head != text {
				continue
			}
			found = true
			if m.Level != want.level || m.Line != want.line || m.URL != s.URL+"/" || m.Timestamp.Before(before) || m.Timestamp.After(time.Now().Add(time.Second)) {
				t.Errorf("%q is %+v, want %+v", text, m, want)
			}
		}
		if !found {
			t.Errorf("%q is missing", text)
		}
	}
	for _, m := range tr.console(action.ReadConsole{Level: "warn"}) {
		if m.Level != "warn" {
			t.Errorf("%+v among the warnings", m)
		}
	}
	if last := tr.console(action.ReadConsole{Level: "debug", Limit: 1}); len(last) != 1 || last[0].Text != "d" {
		t.Errorf("the last one is %+v", last)
	}
}

func TestConsoleHearsAllTabsFramesAndWorkers(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{
		"/frame": `<script>console.log('from a frame')</script>`,
		"/pop":   `<title>pop</title><script>setInterval(() => console.log('from another tab'), 20)</script>`,
		"/": `<title>top</title><script>
			new Worker(URL.createObjectURL(new Blob(["console.warn('from a worker'); setTimeout(() => { throw new Error('in a worker') })"])))
			new SharedWorker('data:text/javascript,console.log("from a shared worker")')
			addEventListener('load', () => document.body.append(Object.assign(document.createElement('iframe'), {src: location.href.replace('127.0.0.1', 'localhost') + 'frame'})))
			</script>`,
	})
	tr.must("page.goto", &action.Goto{URL: s.URL + "/pop"})
	tr.must("tab.open", &action.OpenTab{URL: s.URL})
	for _, words := range []string{"from a frame", "from a worker", "from a shared worker", "in a worker"} {
		tr.wrote(words)
	}
	tr.console(action.ReadConsole{Clear: true})
	if m := tr.wrote("from another tab"); m.URL != s.URL+"/pop" {
		t.Errorf("heard %+v", m)
	}
}

func TestLoggedObjectsAreLetGo(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>logs</title>`)
	released := make(chan struct{}, 10)
	tr.lane.fail(func(method string, _ int64, _ string) ([]byte, error) {
		if method == "Runtime.releaseObjectGroup" {
			released <- struct{}{}
		}
		return nil, nil
	})
	defer tr.lane.fail(nil)
	tr.visit(`<script>console.log({big: 1})</script>`)
	select {
	case <-released:
	case <-tr.ctx.Done():
		t.Error("the page's objects are kept")
	}
}
