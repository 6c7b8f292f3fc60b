package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/enginetest"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// busyPage uses a quarter of a processor, and shows its cookie when it is
// clicked.
const busyPage = `<h1>Busy</h1><label>Name <input id=name></label>
<button id=count type=button aria-pressed=false onclick="this.textContent='Show '+(++n)+' '+document.cookie">Show 0</button>
<script>let n = 0; document.cookie = "kept=yes"; setInterval(() => { const end = performance.now() + 5; while (performance.now() < end); }, 20)</script>`

var freezes = []string{"GLOVEBOX_BROWSER_FREEZE_AFTER_SECONDS=5"}

// cpu returns the processor time that the only box of a gateway has used.
func (g *gateway) cpu(t *testing.T) time.Duration {
	t.Helper()
	boxes := g.boxes()
	if len(boxes) != 1 {
		t.Fatalf("boxes %v", boxes)
	}
	return enginetest.ProcessorTime(t, boxes[0])
}

// share returns the fraction of a processor that the box uses for a while.
func (g *gateway) share(t *testing.T) float64 {
	t.Helper()
	began, before := time.Now(), g.cpu(t)
	<-time.After(4 * time.Second)
	return float64(g.cpu(t)-before) / float64(time.Since(began))
}

// works waits until the box of a session that is awake has used some of a processor.
func (g *gateway) works(t *testing.T, c curl, id string) {
	t.Helper()
	before := g.cpu(t)
	testwait.For(t, "the page to use a processor", func() bool {
		if isFrozen(c, id) {
			c.get("/v1/browser/snapshot").object(http.StatusOK)
		}
		return g.cpu(t)-before > 200*time.Millisecond
	})
}

func isFrozen(c curl, id string) bool {
	return c.get("/v1/sessions/" + id).object(http.StatusOK)["frozen"] == true
}

func (g *gateway) frozen(t *testing.T, c curl, id string) {
	t.Helper()
	testwait.For(t, "the session to be frozen", func() bool { return isFrozen(c, id) })
}

// busy opens a session at the busy page, uses it, and returns a reference of the
// button.
func (g *gateway) busy(t *testing.T) (c curl, id, button string) {
	t.Helper()
	c = g.curl(t, "agent")
	id = c.open(`{"name": "resting"}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/busy"}`).object(http.StatusOK)
	c.post("/v1/browser/type", `{"selector": "#name", "text": "Ann"}`).object(http.StatusOK)
	text := fmt.Sprint(c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"])
	return c, id, ref(t, text, `button "Show 0"`)
}

func TestAnIdleSessionIsFrozenUntilTheNextCall(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{env: freezes})
	c, id, button := g.busy(t)
	g.works(t, c, id)
	for _, shows := range []string{"Show 1 kept=yes", "Show 2 kept=yes"} {
		g.frozen(t, c, id)
		if share := g.share(t); share > 0.01 {
			t.Errorf("a frozen box takes %.1f %% of a processor", 100*share)
		}
		if status := c.get("/v1/browser/status").object(http.StatusOK); status["frozen"] != true || status["state"] != "active" {
			t.Errorf("its browser is shown as %v", status)
		}
		if out, _, _ := g.command(t, "session", "list"); !strings.Contains(out, "open (frozen)") {
			t.Errorf("it is listed as %s", out)
		}
		began := time.Now()
		clicked := c.post("/v1/browser/click", `{"ref": "`+button+`"}`).object(http.StatusOK)
		t.Logf("the click that woke it up took %s", time.Since(began))
		if notes := fmt.Sprint(clicked["notes"]); !strings.Contains(notes, "the session stood still for ") {
			t.Errorf("its agent is told %v", clicked)
		}
		if text := fmt.Sprint(c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"]); !strings.Contains(text, shows) || !strings.Contains(text, "Ann") {
			t.Errorf("the page is %s", text)
		}
		var shown object
		testwait.For(t, "it to be shown as awake", func() bool {
			c.get("/v1/browser/snapshot").object(http.StatusOK) // or it may be frozen again
			shown = c.get("/v1/sessions/" + id).object(http.StatusOK)
			return shown["frozen"] != true
		})
		if shown["state"] != "open" {
			t.Errorf("it is shown as %v", shown)
		}
	}
	g.frozen(t, c, id)
	c.post("/v1/sessions/"+id+"/archive", "").object(http.StatusOK)
	g.settled(t)
	g.trailHolds(t)
	said := map[string]int{}
	for _, r := range g.trail(t) {
		what, _, _ := strings.Cut(r.Detail, ":")
		what, _, _ = strings.Cut(what, ";")
		if r.SessionID == id && r.EventType == "session" {
			said[what]++
		}
	}
	if said["frozen"] < 3 || said["woken up"] != said["frozen"]-1 {
		t.Errorf("the trail has %v", said)
	}
}

func TestAFrozenSessionSurvivesAKilledGateway(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{env: freezes})
	c, id, button := g.busy(t)
	box := fmt.Sprint(c.get("/v1/sessions/" + id).object(http.StatusOK)["box"])
	g.frozen(t, c, id)
	g.end(syscall.SIGKILL)
	g.run()
	c = g.curl(t, "agent")
	if shown := c.get("/v1/sessions/" + id).object(http.StatusOK); shown["state"] != "open" || shown["box"] != box {
		t.Fatalf("the session is %v", shown)
	}
	c.post("/v1/browser/click", `{"ref": "`+button+`"}`).problem(fault.StaleRef)
	fresh := ref(t, fmt.Sprint(c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"]), `button "Show 0"`)
	c.post("/v1/browser/click", `{"ref": "`+fresh+`"}`).object(http.StatusOK)
	if text := fmt.Sprint(c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"]); !strings.Contains(text, "Show 1 kept=yes") || !strings.Contains(text, "Ann") {
		t.Errorf("the page is %s", text)
	}
	g.frozen(t, c, id)
	c.post("/v1/sessions/"+id+"/close", "").object(http.StatusOK)
	g.settled(t)
}

// TestAFrozenBoxOfAKilledGatewayEnds starts no other gateway afterwards that
// would remove the box.
func TestAFrozenBoxOfAKilledGatewayEnds(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{env: freezes, lease: 10})
	c, id, _ := g.busy(t)
	g.frozen(t, c, id)
	g.end(syscall.SIGKILL)
	testwait.For(t, "the box to be gone from the engine", func() bool { return len(g.boxes()) == 0 })
}
