package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// sockets records what WebSockets of a lab page sent to their server.
type sockets struct {
	mu   sync.Mutex
	said []string // "open" for each, and what came over it
}

func (s *sockets) serve(w http.ResponseWriter, r *http.Request) {
	s.note("open")
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	for {
		_, text, err := c.Read(r.Context())
		if err != nil {
			return
		}
		s.note(string(text))
	}
}

func (s *sockets) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, text)
}

func (s *sockets) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, ", ")
}

const channelsPage = `<h1>Channels</h1><p id=said>nothing yet</p><p id=wt>no transport</p>
<button type=button onclick="talk('listen')">Show live view</button>
<button type=button onclick="talk('delete 7')">Delete file</button>
<button type=button onclick="work()">Show work</button>
<button type=button onclick="try { new WebTransport(location.href.replace('http:', 'https:')).ready.then(() => wt.textContent = 'transport: open', e => wt.textContent = 'transport: ' + e) } catch (e) { wt.textContent = 'transport: ' + e }">Show transport</button>
<script>const at = 'ws://' + location.host + '/lab/socket'
const talk = text => { const s = new WebSocket(at); s.onopen = () => { s.send(text); said.textContent = 'page: open' }; s.onerror = () => said.textContent = 'page: refused' }
const script = 'const s = new WebSocket("' + at + '"); s.onopen = () => { s.send("work"); postMessage("open") }; s.onerror = () => postMessage("refused")'
const work = () => { new Worker(URL.createObjectURL(new Blob([script]))).onmessage = e => said.textContent = 'worker: ' + e.data }</script>`

// channelTrial is an agent on a page whose buttons open channels.
type channelTrial struct {
	*gateway
	agent curl
}

func onChannels(t *testing.T, g *gateway, session string) channelTrial {
	t.Helper()
	c := channelTrial{g, g.curl(t, "agent")}
	c.agent.open(session)
	c.agent.post("/v1/browser/navigate", fmt.Sprintf(`{"url": %q}`, g.site+"/lab/channels")).object(http.StatusOK)
	return c
}

func (c channelTrial) press(t *testing.T, name, shown string) {
	t.Helper()
	clicked := c.agent.post("/v1/browser/click", fmt.Sprintf(`{"role": "button", "name": %q}`, name))
	if c.agent.post("/v1/browser/wait", fmt.Sprintf(`{"text": %q, "timeout": 120000}`, shown)).object(http.StatusOK)["found"] != true {
		t.Errorf("%s: %s\nthe page does not show %q: %.1500s", name, clicked.body, shown, c.agent.get("/v1/browser/console").body)
	}
}

// TestAReadOnlySessionOpensNoChannel checks that no WebSocket of a page or a
// worker is opened in a session that only reads, that the agent learns why, and
// that the trail records it. WebTransport is never possible.
func TestAReadOnlySessionOpensNoChannel(t *testing.T) {
	g := start(t, settings{})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(g.site, "http://"))
	datagrams, err := net.ListenPacket("udp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = datagrams.Close() })
	c := onChannels(t, g, `{"effects": "none"}`)
	c.press(t, "Show live view", "page: refused")
	c.press(t, "Show work", "worker: refused")
	c.press(t, "Show transport", "transport: ")
	if told := string(c.agent.get("/v1/browser/console").body) + string(c.agent.get("/v1/browser/status").body); strings.Contains(told, "transport: open") {
		t.Error("a WebTransport is open")
	}
	if said := g.lab.sockets.String(); said != "" {
		t.Errorf("these reached the server: %s", said)
	}
	if _, err := datagrams.WriteTo([]byte("own"), datagrams.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 2000) // one of the page would be ahead of the own one
	if n, _, err := datagrams.ReadFrom(first); err != nil || string(first[:n]) != "own" {
		t.Errorf("a datagram of %d bytes came: %v", n, err)
	}
	refused := 0
	for _, r := range g.trail(t) {
		if r.EventType == "effect" && r.Result == "fault" && strings.HasPrefix(r.TargetURL, "ws://localhost") && strings.Contains(r.Error, "this session only reads") {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d refusals in the trail", refused)
	}
}

// TestAReadOnlySessionReportsTheRefusedChannel checks the note in the agent's
// next answer. A rule about the host makes an exception.
func TestAReadOnlySessionReportsTheRefusedChannel(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	command := exec.Command(binary, "mcp", "--read-only", "--config", g.config)
	command.Env = append(os.Environ(), g.env...)
	a := connect(t, &sdk.CommandTransport{Command: command}, "", nil)
	a.must("browser_navigate", object{"url": g.site + "/lab/channels"}, "Channels")
	told := a.must("browser_click", object{"role": "button", "name": "Show live view"}, "")
	told += a.must("browser_wait_for", object{"text": "page: refused", "timeout": 50}, "")
	told += a.must("browser_snapshot", object{}, "page: refused")
	if !strings.Contains(told, "the WebSocket ws://localhost") || !strings.Contains(told, "this session only reads") {
		t.Errorf("the agent was told %q", told)
	}
}

func TestAChannelOfAReadOnlySessionIsAllowedByARule(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{security: `effects: {rules: [{hosts: [localhost], methods: [CONNECT], risk: LOW}]}`})
	c := onChannels(t, g, `{"effects": "none"}`)
	c.press(t, "Show live view", "page: open")
	testwait.For(t, "what was sent", func() bool { return g.lab.sockets.String() == "open, listen" })
}

// TestAChannelThatADeletionOpensIsAskedAbout checks that a channel opened by an
// act of HIGH risk is asked about, and one opened by harmless acts is not.
func TestAChannelThatADeletionOpensIsAskedAbout(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	a := g.stdio(t)
	a.must("browser_navigate", object{"url": g.site + "/lab/channels"}, "Channels")
	answered := g.answer(t, "deny", "keep it")
	_ = a.must("browser_click", object{"role": "button", "name": "Delete file"}, "")
	<-answered
	a.must("browser_wait_for", object{"text": "page: refused", "timeout": 50}, "")
	if said := g.lab.sockets.String(); said != "" {
		t.Fatalf("these reached the server: %s", said)
	}
	a.must("browser_navigate", object{"url": g.site + "/lab/channels"}, "Channels")
	a.must("browser_click", object{"role": "button", "name": "Show live view"}, "")
	testwait.For(t, "what was sent", func() bool { return g.lab.sockets.String() == "open, listen" })
}

const aheadPage = `<h1>Ahead</h1><link rel=prefetch href="/lab/fetched/plain">
<script type=speculationrules>{"prefetch": [{"urls": ["/lab/fetched/7/delete"], "eagerness": "immediate"}], "prerender": [{"urls": ["/lab/fetched/rendered"], "eagerness": "immediate"}]}</script>`

// TestSpeculationRulesOfAPageFetchNothing checks that speculation rules have no
// effect in a box, because their requests would not pass the gate.
func TestSpeculationRulesOfAPageFetchNothing(t *testing.T) {
	g := start(t, settings{})
	c := g.curl(t, "agent")
	c.open(`{}`)
	c.post("/v1/browser/navigate", fmt.Sprintf(`{"url": %q}`, g.site+"/lab/ahead")).object(http.StatusOK)
	testwait.For(t, "what a link fetches ahead", func() bool { return strings.Contains(g.lab.sockets.String(), "/plain") })
	<-time.After(500 * time.Millisecond) // nothing tells that it will not come
	if said := g.lab.sockets.String(); said != "/lab/fetched/plain" || g.lab.deeds.String() != "" {
		t.Errorf("fetched %s; done %s", said, g.lab.deeds.String())
	}
}
