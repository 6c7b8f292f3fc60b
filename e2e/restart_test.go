package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// reopened uses a session that an earlier process of the gateway opened.
func reopened(t *testing.T, g *gateway, id, oldRef, box string) {
	t.Helper()
	c := g.curl(t, "agent")
	if shown := c.get("/v1/sessions/" + id).object(http.StatusOK); shown["state"] != "open" || shown["box"] != box {
		t.Fatalf("the session is %v", shown)
	}
	stale := c.post("/v1/browser/click", `{"ref": "`+oldRef+`"}`).problem(fault.StaleRef)
	if hint, _ := stale["hint"].(string); !strings.Contains(hint, "snapshot") {
		t.Errorf("a stale reference does not say what to do: %v", stale)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/login"}`).object(http.StatusOK)
	text := c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string)
	fresh := ref(t, text, `button "Continue as demo user"`)
	c.post("/v1/browser/click", `{"ref": "`+fresh+`"}`).object(http.StatusOK)
}

// used opens a session, goes somewhere, and returns its id, box and a
// reference of its page.
func used(t *testing.T, g *gateway) (id, box, oldRef string) {
	t.Helper()
	c := g.curl(t, "agent")
	session := c.post("/v1/sessions", `{"name": "lasting"}`).object(http.StatusOK)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/login"}`).object(http.StatusOK)
	text := c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string)
	return session["id"].(string), session["box"].(string), ref(t, text, `button "Continue as demo user"`)
}

func TestASessionSurvivesTheGateway(t *testing.T) {
	g := start(t, settings{sandbox: "keep_boxes_on_shutdown: true"})
	id, box, oldRef := used(t, g)
	kept := g.boxes()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		g.end(signal)
		g.run()
		if now := g.boxes(); !slices.Equal(now, kept) {
			t.Fatalf("after %s the boxes are %v, were %v", signal, now, kept)
		}
		reopened(t, g, id, oldRef, box)
		text := g.curl(t, "agent").get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string)
		oldRef = ref(t, text, `link "New invoice"`)
	}
	g.curl(t, "agent").post("/v1/sessions/lasting/archive", "").object(http.StatusOK)
	g.settled(t)
	g.trailHolds(t)
}

func TestBoxEndsWithItsLease(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{lease: 10, warmPool: 1})
	id, _, _ := used(t, g)
	testwait.For(t, "the warm box", func() bool { return len(g.boxes()) == 2 })
	g.end(syscall.SIGKILL)
	testwait.For(t, "both boxes to end themselves and to be removed", func() bool { return len(g.boxes()) == 0 })
	g.run()
	testwait.For(t, "a warm box to come", func() bool { return len(g.boxes()) == 1 && g.running() == 1 })
	shown := g.curl(t, "agent").get("/v1/sessions/" + id).object(http.StatusOK)
	if shown["state"] != "failed" || !strings.Contains(shown["reason"].(string), "while the gateway was down") {
		t.Errorf("the session is %v", shown)
	}
	g.curl(t, "agent").get("/v1/browser/snapshot", "Glovebox-Session: "+id).problem(fault.NotActive)
}

// TestAKilledGatewayLeavesNoContainer starts no other gateway afterwards; the
// engine must remove everything.
func TestAKilledGatewayLeavesNoContainer(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{lease: 10, warmPool: 1})
	used(t, g)
	testwait.For(t, "the warm box", func() bool { return g.running() == 2 })
	g.end(syscall.SIGKILL)
	testwait.For(t, "the boxes to be gone from the engine", func() bool { return len(g.boxes()) == 0 })
}

// running counts the containers of this gateway that run.
func (g *gateway) running() int {
	g.t.Helper()
	n := 0
	for _, id := range g.boxes() {
		out, err := exec.Command("docker", "inspect", "-f", "{{.State.Running}}", id).Output()
		if err == nil && strings.TrimSpace(string(out)) == "true" {
			n++
		}
	}
	return n
}

// TestOldBoxesAreRemovedAndThoseOfOtherGatewaysAreNot kills a gateway with a warm
// box and an open session: the next one recovers the session and ends the warm
// box, while another gateway on the same engine keeps its own.
func TestOldBoxesAreRemovedAndThoseOfOtherGatewaysAreNot(t *testing.T) {
	testenv.Heavy(t)
	neighbour := start(t, settings{})
	neighboursID, _, _ := used(t, neighbour)
	theirs := neighbour.boxes()
	g := start(t, settings{warmPool: 1})
	c := g.curl(t, "agent")
	id, _, _ := used(t, g)
	testwait.For(t, "the warm box", func() bool { return g.running() == 2 })
	before := g.boxes()
	g.end(syscall.SIGKILL)
	g.run()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("boxes were %v, are %v\n%s", before, g.boxes(), g.log)
		}
	})
	testwait.For(t, "the old warm box to be replaced", func() bool {
		now := g.boxes()
		kept := 0
		for _, box := range now {
			if slices.Contains(before, box) {
				kept++
			}
		}
		return len(now) == 2 && kept == 1
	})
	c.get("/v1/sessions/" + id + "/browser/snapshot").object(http.StatusOK)
	g.end(syscall.SIGTERM)
	g.noBoxes()
	if now := neighbour.boxes(); !slices.Equal(now, theirs) {
		t.Errorf("the neighbour's boxes are %v, were %v", now, theirs)
	}
	neighbour.curl(t, "agent").get("/v1/sessions/" + neighboursID + "/browser/snapshot").object(http.StatusOK)
}

func TestTwoGatewaysDoNotShareAStateDirectory(t *testing.T) {
	g := start(t, settings{})
	out, complaint, status := g.command(t, "serve", "--listen", "127.0.0.1:0")
	if status != fault.AlreadyActive.Info().Exit || !strings.Contains(complaint, "another gateway uses the state directory") {
		t.Errorf("status %d\n%s%s", status, out, complaint)
	}
}

// TestASessionFailsIfItsBrowserEndedWithoutTheGateway kills the browser while no
// gateway runs. Its box starts another browser, which does not belong to the
// session.
func TestASessionFailsIfItsBrowserEndedWithoutTheGateway(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	id, _, _ := used(t, g)
	before := g.chromium(t, "browser")
	g.end(syscall.SIGKILL)
	for _, pid := range before {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	testwait.For(t, "another browser", func() bool {
		now, _ := g.processes(t, "browser")
		return len(now) > 0 && !slices.ContainsFunc(now, func(pid int) bool { return slices.Contains(before, pid) })
	})
	g.run()
	shown := g.curl(t, "agent").get("/v1/sessions/" + id).object(http.StatusOK)
	if shown["state"] != "failed" || !strings.Contains(shown["reason"].(string), "browser") {
		t.Errorf("the session is %v", shown)
	}
	g.curl(t, "agent").get("/v1/browser/snapshot", "Glovebox-Session: "+id).problem(fault.NotActive)
	g.settled(t)
}

// TestAProcessOfMCPSurvivesTheGateway checks that an agent of glovebox mcp goes on
// in its session when the gateway runs again, and is told when none does.
func TestAProcessOfMCPSurvivesTheGateway(t *testing.T) {
	g := start(t, settings{sandbox: "keep_boxes_on_shutdown: true"})
	a := g.stdio(t)
	a.must("browser_navigate", object{"url": g.site + "/login"}, "Continue as demo user")
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		g.end(signal)
		a.refused("browser_snapshot", object{}, "not_active")
		g.run()
		if text := a.must("browser_navigate", object{"url": g.site + "/login"}, "Continue as demo user"); strings.Contains(text, "was started") {
			t.Errorf("after %s the agent is in another session:\n%s", signal, text)
		}
	}
	a.must("browser_session", object{"action": "archive"}, "archived")
	g.settled(t)
}

// TestAProcessOfMCPStartsItsGatewayAgain checks that a gateway that glovebox mcp
// started in the background is started again when it has ended.
func TestAProcessOfMCPStartsItsGatewayAgain(t *testing.T) {
	g := prepare(t, settings{})
	a := g.stdio(t)
	for range 2 {
		a.must("browser_session", object{"action": "list"}, "There are no sessions")
		end := g.background(t)
		end(syscall.SIGKILL)
		text, _ := a.use("browser_session", object{"action": "list"})
		unnoticed := strings.Contains(text, "broke before the answer came") // it was sent before the end of the connection was seen
		if !unnoticed && !strings.Contains(text, "There are no sessions") {
			t.Errorf("browser_session got %s", text)
		}
	}
	a.must("browser_session", object{"action": "list"}, "There are no sessions")
	g.background(t)(syscall.SIGTERM)
}

// background finds the gateway that listens at the address of g, which nobody but
// a client started, and returns a function that ends it.
func (g *gateway) background(t *testing.T) func(syscall.Signal) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range processes {
		line, _ := os.ReadFile(file)
		if !strings.Contains(string(line), "\x00serve\x00") || !strings.Contains(string(line), "\x00"+g.config+"\x00") {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		return func(signal syscall.Signal) {
			if err := syscall.Kill(id, signal); err != nil {
				t.Fatal(err)
			}
			testwait.For(t, "the gateway to end", func() bool {
				connection, err := net.Dial("tcp", g.address)
				if err == nil {
					_ = connection.Close()
				}
				return err != nil
			})
		}
	}
	t.Fatal("no gateway runs")
	return nil
}
