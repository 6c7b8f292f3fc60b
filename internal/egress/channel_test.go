package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// openers is a page that opens WebSockets from every kind of context (page,
// frame, workers), and reports for each whether it was opened or refused.
const openers = `<!doctype html><script>
const over = (promise, name) => promise.then(() => name + ": open", () => name + ": refused");
const talk = url => new Promise((done, fail) => { const s = new WebSocket(url); s.onopen = done; s.onerror = fail; });
const work = (port, name) => new Promise(done => { port.onmessage = m => done(m.data.map(said => name + " " + said)); });
const worker = new Worker("/worker.js"), shared = new SharedWorker("/worker.js");
const frame = document.createElement("iframe");
frame.srcdoc = "<script>const s = new WebSocket('wss://cdn.app.test/frame'); s.onopen = () => parent.framed('frame: open'); s.onerror = () => parent.framed('frame: refused')<\/script>";
const inFrame = new Promise(done => { window.framed = done; });
document.documentElement.append(frame);
Promise.all([
  over(talk("ws://app.test/page?x=1"), "plain"), over(talk("wss://cdn.app.test/page"), "tls"), inFrame,
  work(worker, "worker"), work(shared.port, "shared"),
]).then(all => fetch("/report", {method: "POST", body: all.flat().join("\n")}));
</script>`

const openingWorker = `const over = (promise, name) => promise.then(() => name + ": open", () => name + ": refused");
const talk = url => new Promise((done, fail) => { const s = new WebSocket(url); s.onopen = done; s.onerror = fail; });
const all = to => Promise.all([over(talk("ws://app.test/worker"), "plain"), over(talk("wss://cdn.app.test/worker"), "tls")]).then(said => to.postMessage(said));
if (self.DedicatedWorkerGlobalScope) all(self); else onconnect = e => all(e.ports[0]);`

// channelPolicy decides about channels and records which ones it was asked about.
type channelPolicy struct {
	mu     sync.Mutex
	asked  []action.Channel
	opened []string // handshakes that reached the server
	let    bool
}

func (k *channelPolicy) ask(_ context.Context, box string, c action.Channel) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, c)
	if !k.let || box != "box" {
		return errors.New("not this")
	}
	return nil
}

func (k *channelPolicy) serve(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Upgrade") == "" {
		return false
	}
	k.mu.Lock()
	k.opened = append(k.opened, r.URL.Path)
	k.mu.Unlock()
	if c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}); err == nil {
		_, _, _ = c.Read(r.Context())
		_ = c.CloseNow()
	}
	return true
}

// TestWebSocketsAreDecidedBeforeTheyAreOpened checks that nothing of a refused
// WebSocket reaches its server, whatever opens it: the proxy recognises the
// connections that are made for one, also inside TLS. Other requests to the same
// hosts still work.
func TestWebSocketsAreDecidedBeforeTheyAreOpened(t *testing.T) {
	for _, let := range []bool{false, true} {
		t.Run(fmt.Sprint(let), func(t *testing.T) {
			k := &channelPolicy{let: let}
			w := newTestNetwork(t, func(o *Options) { o.AllowChannel = k.ask })
			report := make(chan string, 1)
			site := http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				switch {
				case k.serve(out, r):
				case r.URL.Path == "/report":
					text, _ := io.ReadAll(r.Body)
					report <- string(text)
				case strings.HasSuffix(r.URL.Path, ".js"):
					out.Header().Set("Content-Type", "text/javascript")
					_, _ = io.WriteString(out, openingWorker)
				default:
					out.Header().Set("Content-Type", "text/html")
					_, _ = io.WriteString(out, openers)
				}
			})
			w.serve("app.test", "9.9.9.9:80", site)
			w.secure("cdn.app.test", "9.9.9.9:443", site)
			w.open(action.Network{Navigation: []string{"app.test"}, Subresources: "same-site"})
			browse(t, w, "http://app.test/")
			said := strings.Split(testwait.Receive(t, report, "the page's report"), "\n")
			want := map[bool]string{false: ": refused", true: ": open"}[let]
			if len(said) != 7 || slices.ContainsFunc(said, func(s string) bool { return !strings.HasSuffix(s, want) }) {
				t.Errorf("channels allowed %v: %q", let, said)
			}
			k.mu.Lock()
			defer k.mu.Unlock()
			plain := action.Channel{URL: "ws://app.test:80/page?x=1", Origin: "http://app.test"}
			if !slices.Contains(k.asked, plain) || !slices.Contains(k.asked, action.Channel{URL: "wss://cdn.app.test:443/"}) || len(k.asked) < 7 {
				t.Errorf("asked about %+v", k.asked)
			}
			if let != (len(k.opened) > 0) {
				t.Errorf("these reached a server: %q", k.opened)
			}
		})
	}
}
