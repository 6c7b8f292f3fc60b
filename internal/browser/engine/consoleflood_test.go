package engine_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// floods write to the console without end, each in another way.
var floods = map[string]string{
	"/tasks":   `<title>tasks</title><script>const some = () => { for (let i = 0; i < 200; i++) console.log('line', {i}, 'x'.repeat(100)); setTimeout(some, 5) }; some()</script>`,
	"/errors":  `<title>errors</title><script>const some = () => { for (let i = 0; i < 50; i++) Promise.reject(new Error("line")); setTimeout(some, 5) }; some()</script>`,
	"/loop":    `<title>loop</title><script>setTimeout(() => { for (;;) console.log('line', {a: [1]}) }, 100)</script>`,
	"/workers": `<title>workers</title><script>new Worker(URL.createObjectURL(new Blob(["for (;;) console.log('line', {a: [1]})"])))</script>`,
	"/long":    `<title>long</title><script>console.log('line'.repeat(3 << 20))</script>`,
}

func heap() int {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int(memory.HeapAlloc >> 20)
}

// opened opens a tab. What a flood left behind may take longer to arrive than a
// call waits for, on a busy machine.
func (tr *trial) opened(address string) {
	tr.t.Helper()
	for {
		_, err := tr.do("tab.open", &action.OpenTab{URL: address})
		if err == nil {
			return
		}
		if fault.From(err).Code != fault.ActionTimeout || tr.ctx.Err() != nil {
			tr.t.Fatal(err)
		}
	}
}

// TestAConsoleWithoutEndIsMuted has a page flood its console while another tab
// is worked in.
func TestAConsoleWithoutEndIsMuted(t *testing.T) {
	alone(t)
	for path := range floods {
		if path == "/workers" && testing.Short() { // it takes a minute or two
			continue
		}
		t.Run(path[1:], func(t *testing.T) {
			tr := start(t)
			s := site(t, floods)
			quiet := serve(t, `<title>quiet</title><button onclick="document.title += '!'">More</button>`)
			before := heap()
			tr.must("page.goto", &action.Goto{URL: s.URL + path})
			if m := tr.wrote("left out for a while"); m.Level != "warn" {
				t.Errorf("muted with %+v", m)
			}
			tr.opened(elsewhere(quiet)) // of another process
			tr.must("page.click", &action.Click{Locator: selector("button")})
			tr.wantTitle("quiet!")
			all := tr.console(action.ReadConsole{Limit: 1000})
			lines := 0
			for _, m := range all {
				if strings.Contains(m.Text, "line") {
					lines++
				}
			}
			if lines == 0 && path != "/long" || len(all) > 1000 {
				t.Errorf("%d messages of which %d are of the page", len(all), lines)
			}
			if grown := heap() - before; grown > 64 {
				t.Errorf("the heap grew by %d MiB", grown)
			}
		})
	}
}

// TestWhatAWorkerWritesIsKeptOnce writes from a worker, of whose messages the
// browser tells a second time as the page's.
func TestWhatAWorkerWritesIsKeptOnce(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>worker</title><script>new Worker(URL.createObjectURL(new Blob(["for (let i = 0; i < 900; i++) console.log('line', i); postMessage(1)"]))).onmessage = () => console.log('end')</script>`)
	tr.wrote("end")
	tr.wrote("line 899")
	lines := slices.DeleteFunc(tr.console(action.ReadConsole{Limit: 1000}), func(m action.ConsoleMessage) bool {
		return !strings.HasPrefix(m.Text, "line")
	})
	if len(lines) != 900 {
		t.Errorf("%d of the worker's 900 messages", len(lines))
	}
}

// TestAMutedPageIsUsedAndHeardAgain works in a page whose console is muted: its
// frames come and go, and its next document is heard.
func TestAMutedPageIsUsedAndHeardAgain(t *testing.T) {
	testenv.Heavy(t)
	tr := start(t)
	s := site(t, map[string]string{
		"/": `<title>flood</title><button id=go>Go</button><script>
			const some = () => { for (let i = 0; i < 100; i++) console.log('line'); setTimeout(some, 5) }; some()
			const frame = (src, label) => document.body.append(Object.assign(document.createElement('iframe'), {src, title: label}))
			go.onclick = () => { frame('/inner', 'near'); frame(location.href.replace('127.0.0.1', 'localhost') + 'inner', 'far') }</script>`,
		"/inner": `<button onclick="this.textContent = 'done'; location.hash = 'x'">press</button><a href=/next>on</a>`,
		"/next":  `<p>the next document of a frame</p>`,
		"/other": `<title>other</title><script>console.log('heard again')</script>`,
	})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	ref := tr.must("page.click", &action.Click{Locator: selector("button")}).Data.(*action.Acted).Element.Ref
	tr.wrote("left out for a while")
	if tr.must("page.click", &action.Click{Locator: action.Locator{Ref: ref}}).Data.(*action.Acted).Element.Name != "Go" {
		t.Error("a reference from before is lost")
	}
	for index := range 4 {
		tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "press"}})
		tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Role: "button", Name: "done", Index: &index}})
	}
	tr.must("page.click", &action.Click{Locator: action.Locator{Role: "link", Name: "on"}})
	if !tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "the next document of a frame"}}).Data.(*action.Waited).Found {
		t.Error("the new document of a frame cannot be read")
	}
	awaited := tr.must("page.execute", &action.Execute{Expression: `new Promise(done => setTimeout(() => done(7), 300))`, AwaitPromise: true})
	if got := awaited.Data.(*action.Executed); string(jsonOf(t, got.Result)) != "7" {
		t.Errorf("awaited %v", got.Result)
	}
	tr.console(action.ReadConsole{Clear: true})
	tr.must("page.goto", &action.Goto{URL: s.URL + "/other"})
	if m := tr.wrote("heard again"); m.Line != 1 {
		t.Errorf("heard %+v", m)
	}
}

// TestATabIsGotBackFromAScriptThatWritesWithoutEnd wants the tab back that a
// script holds while it floods the console.
func TestATabIsGotBackFromAScriptThatWritesWithoutEnd(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": floods["/loop"], "/other": `<title>other</title>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.wrote("left out for a while")
	tr.must("page.goto", &action.Goto{URL: s.URL + "/other"})
	tr.wantTitle("other")
}

func jsonOf(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return data
}
