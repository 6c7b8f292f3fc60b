package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/demosite"
)

const (
	startLimit = 60 * time.Second // for a gateway to answer
	endLimit   = 40 * time.Second // for a gateway to end its boxes
)

// gateway is a running program under test, with a state directory, a web
// application it may reach, and a client for each role.
type gateway struct {
	t        *testing.T
	dir      string
	config   string
	address  string
	site     string // URL of the application, on localhost
	env      []string
	process  *exec.Cmd
	ended    chan error
	log      *bytes.Buffer
	operator *client.Client
	agent    *client.Client
}

// settings change the configuration of a gateway; extra is YAML below the
// top level, appended as it is.
type settings struct {
	env      []string
	warmPool int
	sandbox  string // more keys of browser.sandbox, in flow style
	security string // more keys of security, in flow style
}

// start starts a gateway and ends it, and checks that no box is left, when the
// test ends.
func start(t *testing.T, s settings) *gateway {
	t.Helper()
	g := &gateway{t: t, dir: t.TempDir(), env: s.env}
	support := httptest.NewUnstartedServer(nil)
	app := demosite.New(demosite.Options{SupportURL: "http://" + support.Listener.Addr().String()})
	support.Config.Handler = app.Support()
	support.Start()
	t.Cleanup(support.Close)
	site := httptest.NewServer(app.App())
	t.Cleanup(site.Close)
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	g.site = "http://localhost:" + port
	g.address = freeAddress(t)
	g.config = filepath.Join(g.dir, "glovebox.yaml")
	text := fmt.Sprintf(`server: {listen: %q, state_dir: %q}
browser:
  sandbox: {container_image: %q, warm_pool: %d%s}
security:
  network: {navigation: [localhost], subresources: listed, listed: ["127.0.0.1"], allow_private: ["localhost:%s", %q]}
  hitl: {trusted_domains: [localhost]}%s
`, g.address, filepath.Join(g.dir, "state"), imageTag, s.warmPool, prefixed(", ", s.sandbox), port,
		support.Listener.Addr().String(), prefixed("\n  ", s.security))
	if err := os.WriteFile(g.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.end(syscall.SIGTERM)
		g.noBoxes()
	})
	g.run()
	return g
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// run starts the process and waits until it answers.
func (g *gateway) run() {
	g.t.Helper()
	g.log = &bytes.Buffer{}
	g.process = exec.Command(binary, "serve", "--config", g.config)
	g.process.Env = append(os.Environ(), g.env...)
	g.process.Stdout, g.process.Stderr = g.log, g.log
	if err := g.process.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.ended = make(chan error, 1)
	go func() { g.ended <- g.process.Wait() }()
	ctx, cancel := context.WithTimeout(g.t.Context(), startLimit)
	defer cancel()
	for g.client("").Health(ctx) != nil {
		select {
		case err := <-g.ended:
			g.t.Fatalf("the gateway ended: %v\n%s", err, g.log)
		case <-ctx.Done():
			g.t.Fatal("the gateway does not answer")
		case <-time.After(20 * time.Millisecond):
		}
	}
	g.operator, g.agent = g.client(g.token("operator")), g.client(g.token("agent"))
}

func (g *gateway) client(token string) *client.Client {
	g.t.Helper()
	c, err := client.New("http://"+g.address, token)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g *gateway) token(name string) string {
	g.t.Helper()
	data, err := os.ReadFile(filepath.Join(g.dir, "state", name+".token"))
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// end ends the process with a signal and waits for it.
func (g *gateway) end(signal syscall.Signal) {
	g.t.Helper()
	if g.process == nil {
		return
	}
	_ = g.process.Process.Signal(signal)
	select {
	case err := <-g.ended:
		var exit *exec.ExitError
		if signal == syscall.SIGTERM && errors.As(err, &exit) {
			g.t.Errorf("the gateway ended with %v\n%s", err, g.log)
		}
	case <-time.After(endLimit):
		_ = g.process.Process.Kill()
		<-g.ended
		g.t.Errorf("the gateway did not end by itself\n%s", g.log)
	}
	g.process = nil
}

// boxes lists the containers of this gateway, in any state.
func (g *gateway) boxes() []string {
	g.t.Helper()
	id, err := os.ReadFile(filepath.Join(g.dir, "state", "instance"))
	if err != nil {
		return nil
	}
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "label=glovebox.instance="+strings.TrimSpace(string(id))).Output()
	if err != nil {
		g.t.Fatalf("docker ps: %v", err)
	}
	return strings.Fields(string(out))
}

func (g *gateway) noBoxes() {
	g.t.Helper()
	if left := g.boxes(); len(left) > 0 {
		g.t.Errorf("boxes are left: %v", left)
		_ = exec.Command("docker", append([]string{"rm", "-f"}, left...)...).Run()
	}
}

// command runs the command line against the gateway.
func (g *gateway) command(args ...string) (string, error) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, binary, append(args, "--config", g.config)...)
	c.Env = append(os.Environ(), g.env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// http makes a REST request as the operator, as curl would.
func (g *gateway) http(method, path, body string) *http.Response {
	g.t.Helper()
	request, err := http.NewRequestWithContext(g.t.Context(), method, "http://"+g.address+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+g.token("operator"))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
