package e2e

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/demosite"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// allInOneTag is the image that also contains the gateway: a few layers on top of
// imageTag.
var allInOneTag = "glovebox:e2e" + os.Getenv("GLOVEBOX_TEST_TREE")

// TestAllInOne starts the container as docs/all-in-one.md says and uses it
// from outside, through the published port.
func TestAllInOne(t *testing.T) {
	testenv.Heavy(t)
	g, name := startAllInOne(t)
	inContainer := func(t *testing.T, command ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "docker", append([]string{"exec", name}, command...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *gateway)
	}{{"RESTMainJob", restMainJob}, {"RESTQuestion", restQuestion}, {"MCPOverHTTP", mcpOverHTTP}, {"Files", files}, {"Profile", profileComesBack}} {
		t.Run(test.name, func(t *testing.T) { test.run(t, g) })
	}
	t.Run("Doctor", func(t *testing.T) {
		out := inContainer(t, "glovebox", "doctor")
		for _, want := range []string{"egress: sealed", "closed to boxes by", "own user namespace true"} {
			if !strings.Contains(out, want) {
				t.Errorf("doctor does not say %q:\n%s", want, out)
			}
		}
	})
	t.Run("OneDoor", func(t *testing.T) {
		c := g.curl(t, "agent")
		id := c.open(`{"name": "walled"}`)
		if shown := c.get("/v1/sessions/" + id).object(http.StatusOK); shown["egress"] != "sealed" {
			t.Errorf("the session says %v of its way out", shown["egress"])
		}
		c.post("/v1/browser/navigate", `{"url": "http://elsewhere.example/"}`).problem(fault.BlockedDomain)
		interfaces := inContainer(t, "sh", "-c", `for p in /proc/[0-9]*; do
			if tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -q '^glovebox guest'; then grep : $p/net/dev; tail -n +2 $p/net/route; fi; done`)
		if !strings.Contains(interfaces, "lo:") || strings.Contains(interfaces, "eth") {
			t.Errorf("a box's network has more than loopback:\n%s", interfaces)
		}
	})
	t.Run("PrivateAuthority", func(t *testing.T) {
		c := g.curl(t, "agent")
		base := "/v1/sessions/" + c.open(`{"name": "private"}`) + "/browser/"
		if got := c.post(base+"navigate", `{"url": "https://`+g.signed+`/"}`).object(http.StatusOK); got["title"] != "signed" {
			t.Errorf("navigate: %v", got)
		}
	})
	t.Run("Trail", func(t *testing.T) {
		g.trailHolds(t)
		if out := inContainer(t, "glovebox", "audit", "verify"); !strings.Contains(out, "the chain holds") {
			t.Errorf("audit verify: %s", out)
		}
	})
	t.Run("EndsInOrder", func(t *testing.T) {
		if out, err := exec.CommandContext(t.Context(), "docker", "stop", "-t", "40", name).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		status, err := exec.CommandContext(t.Context(), "docker", "inspect", "-f", "{{.State.ExitCode}} {{.State.OOMKilled}}", name).Output()
		if err != nil || strings.TrimSpace(string(status)) != "0 false" {
			t.Errorf("it ended with %s, %v", status, err)
		}
	})
}

// TestLocalDriverIsRefusedOutside runs outside of a container.
func TestLocalDriverIsRefusedOutside(t *testing.T) {
	if local.Contained() == nil {
		t.Skip("these tests run in a container themselves")
	}
	for _, command := range []string{"serve", "doctor"} {
		c := exec.CommandContext(t.Context(), binary, command)
		c.Env = append(os.Environ(), "container=docker", "GLOVEBOX_BROWSER_SANDBOX_DRIVER=local",
			"GLOVEBOX_SERVER_STATE_DIR="+t.TempDir(), "GLOVEBOX_SERVER_LISTEN="+freeAddress(t))
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 8 || !strings.Contains(string(out), "in a container only") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}

// startAllInOne builds the image, starts a container on a free port, and returns
// a gateway with its tokens and site.
func startAllInOne(t *testing.T) (*gateway, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gbe2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	build := exec.CommandContext(t.Context(), binary, "image", "build", "--all-in-one", "--tag", allInOneTag)
	build.Env = append(os.Environ(), "GLOVEBOX_BROWSER_SANDBOX_CONTAINER_IMAGE="+imageTag)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, out)
	}
	profile, err := exec.CommandContext(t.Context(), binary, "image", "seccomp").Output()
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{t: t, dir: dir}
	config, bridge := g.siteForContainers()
	for name, text := range map[string]string{"seccomp.json": string(profile), "glovebox.yaml": config, "ca.pem": string(g.authority)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the container's user reads the configuration
		t.Fatal(err)
	}
	name := "gbe2e-all-" + strings.ToLower(rand.Text()[:8])
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := exec.Command("docker", "logs", "--tail", "60", name).CombinedOutput()
			t.Logf("the container's log:\n%s", log)
		}
		if out, err := exec.Command("docker", "rm", "-f", "-v", name).CombinedOutput(); err != nil {
			t.Errorf("the container stays: %v %s", err, out)
		}
	})
	run := exec.CommandContext(t.Context(), "docker", "run", "-d", "--name", name, "--init", "--read-only",
		"--tmpfs", "/tmp:mode=1777,size=512m", "--tmpfs", "/run/glovebox:uid=10001,gid=10001,mode=0755,size=512m", "--shm-size", "512m",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--security-opt", "seccomp="+filepath.Join(dir, "seccomp.json"),
		"--memory", "2g", "--pids-limit", "2048", "-p", "127.0.0.1::2468", "-v", "/var/lib/glovebox",
		"--add-host", "site.test:"+bridge, "--add-host", "signed.test:"+bridge, "-v", filepath.Join(dir, "ca.pem")+":/etc/ca.pem:ro", "-v", filepath.Join(dir, "glovebox.yaml")+":/etc/glovebox.yaml:ro",
		allInOneTag, "serve", "--config", "/etc/glovebox.yaml", "--listen", "0.0.0.0:2468", "--allow-insecure-listen")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("cannot start: %v\n%s", err, out)
	}
	g.reach(name)
	return g, name
}

// siteForContainers serves the web application to containers, and returns a
// configuration that allows it, and the address of this machine.
func (g *gateway) siteForContainers() (config, bridge string) {
	g.t.Helper()
	out, err := exec.CommandContext(g.t.Context(), "docker", "network", "inspect", "bridge", "-f", "{{(index .IPAM.Config 0).Subnet}}").Output()
	if err != nil {
		g.t.Fatalf("the engine has no bridge: %v", err)
	}
	subnet, err := netip.ParsePrefix(strings.TrimSpace(string(out)))
	if err != nil {
		g.t.Fatalf("the engine's bridge has no addresses: %v", err)
	}
	bridge = subnet.Masked().Addr().Next().String() // this machine's, in an engine's default bridge
	serve := func(handler http.Handler) *httptest.Server {
		server := httptest.NewUnstartedServer(handler)
		_ = server.Listener.Close()
		if server.Listener, err = net.Listen("tcp", bridge+":0"); err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		return server
	}
	support := serve(nil)
	g.app = demosite.New(demosite.Options{SupportURL: "http://" + support.Listener.Addr().String()})
	support.Config.Handler = g.app.Support()
	support.Start()
	site := serve(g.lab.with(g.app.App()))
	site.Start()
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	g.site = "http://site.test:" + port
	signed, err := net.Listen("tcp", bridge+":0")
	if err != nil {
		g.t.Fatal(err)
	}
	authority := newSigner(g.t)
	g.authority, g.signed = authority.pem(), authority.serveOn(g.t, signed, "signed.test", "signed")
	return fmt.Sprintf(`browser: {timeout_seconds: 120, max_session_minutes: -1, start_queue_seconds: 600, freeze_after_seconds: -1, sandbox: {lease_seconds: 600}}
security:
  session_timeout: -1
  network: {navigation: [site.test], subresources: listed, listed: [%q], allow_private: ["site.test:%s", %q, %q], ca_file: /etc/ca.pem}
  hitl: {trusted_domains: [site.test], timeouts: {medium: 3600, high: 3600, critical: 3600}}
`, bridge, port, support.Listener.Addr(), g.signed), bridge
}

// reach waits until the container answers and fetches the tokens from it.
func (g *gateway) reach(name string) {
	g.t.Helper()
	ctx := testwait.Context(g.t)
	out, err := exec.CommandContext(ctx, "docker", "port", name, "2468/tcp").Output()
	if err != nil {
		g.t.Fatalf("no port is published: %v", err)
	}
	g.address = strings.TrimSpace(string(out))
	testwait.For(g.t, "the container to answer", func() bool { return g.client("").Health(ctx) == nil })
	if err := os.Mkdir(filepath.Join(g.dir, "state"), 0o700); err != nil {
		g.t.Fatal(err)
	}
	for _, role := range []string{"operator", "agent"} {
		token, err := exec.CommandContext(ctx, "docker", "exec", name, "cat", "/var/lib/glovebox/"+role+".token").Output()
		if err != nil {
			g.t.Fatalf("no %s's token: %v", role, err)
		}
		if err := os.WriteFile(filepath.Join(g.dir, "state", role+".token"), token, 0o600); err != nil {
			g.t.Fatal(err)
		}
	}
	g.operator, g.agent = g.client(g.token("operator")), g.client(g.token("agent"))
	g.config = filepath.Join(g.dir, "client.yaml") // for the command line on this machine
	text := fmt.Sprintf("server: {listen: %q, state_dir: %q}\n", g.address, filepath.Join(g.dir, "state"))
	if err := os.WriteFile(g.config, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}
