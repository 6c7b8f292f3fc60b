package e2e

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/demosite"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// gateway is a running program under test, with a state directory, a web
// application it may reach, and a client for each role.
type gateway struct {
	t       *testing.T
	dir     string
	config  string
	address string
	ca      []byte // PEM, of a gateway that speaks TLS; nil otherwise
	site    string // URL of the application, on localhost
	support string // URL of its widget, on 127.0.0.1
	signed  string // host:port with a certificate of the authority, in TestAllInOne
	nobody  string // URL that is allowed and where nobody listens
	app     *demosite.Site

	authority []byte // PEM, of security.network.ca_file in TestAllInOne

	lab      lab
	env      []string
	process  *exec.Cmd
	ended    chan error
	log      *tape
	operator *client.Client
	agent    *client.Client
}

// settings change the configuration of a gateway.
type settings struct {
	env      []string
	warmPool int
	image    string // imageTag when empty
	lease    int    // of boxes, in seconds; 600 when 0
	sandbox  string // more keys of browser.sandbox, in flow style
	security string // more keys of security, one line each
	tokens   string // entries of auth.tokens, in flow style
}

// forgetful are settings with which questions that nobody answers make room for
// others soon.
var forgetful = []string{
	"GLOVEBOX_SECURITY_HITL_TIMEOUTS_MEDIUM=120", "GLOVEBOX_SECURITY_HITL_TIMEOUTS_HIGH=60", "GLOVEBOX_SECURITY_HITL_TIMEOUTS_CRITICAL=30",
}

// start starts a gateway and ends it when the test ends. It then checks that no
// box is left.
func start(t *testing.T, s settings) *gateway {
	t.Helper()
	g := prepare(t, s)
	g.run()
	return g
}

// prepare makes what a gateway needs, without starting one. Its limits of time
// are generous: a test that is about one sets it.
func prepare(t *testing.T, s settings) *gateway {
	t.Helper()
	dir, err := os.MkdirTemp("", "gbe2e-") // short: sockets have paths of at most 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	g := &gateway{t: t, dir: dir, env: s.env, address: freeAddress(t)}
	support := httptest.NewUnstartedServer(nil)
	g.app = demosite.New(demosite.Options{SupportURL: "http://" + support.Listener.Addr().String()})
	support.Config.Handler = g.app.Support()
	g.support = "http://" + support.Listener.Addr().String() + "/widget"
	support.Start()
	t.Cleanup(support.Close)
	site := httptest.NewServer(g.lab.with(g.app.App()))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	g.site = "http://localhost:" + port
	_, deadPort, _ := net.SplitHostPort(freeAddress(t))
	g.nobody = "http://localhost:" + deadPort + "/"
	g.config = filepath.Join(g.dir, "glovebox.yaml")
	image := imageTag
	if s.image != "" {
		image = s.image
	}
	text := fmt.Sprintf(`server: {listen: %q, state_dir: %q}
auth: {tokens: [%s]}
browser:
  timeout_seconds: 120
  max_session_minutes: -1
  start_queue_seconds: 600
  freeze_after_seconds: -1
  sandbox: {container_image: %q, container_name_prefix: gbe2e-, warm_pool: %d, lease_seconds: %d%s}
security:
  session_timeout: -1
  network: {navigation: [localhost], subresources: listed, listed: ["127.0.0.1"], allow_private: ["localhost:%s", "localhost:%s", %q]}
  hitl:
    trusted_domains: [localhost]
    timeouts: {medium: 3600, high: 3600, critical: 3600}%s
`, g.address, filepath.Join(g.dir, "state"), s.tokens, image, s.warmPool, cmp.Or(s.lease, 600), prefixed(", ", s.sandbox), port, deadPort,
		support.Listener.Addr().String(), prefixed("\n  ", s.security))
	if err := os.WriteFile(g.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.end(syscall.SIGTERM)
		g.noBoxes()
	})
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
	g.log = &tape{}
	g.process = exec.Command(binary, "serve", "--config", g.config)
	g.process.Env = append(os.Environ(), g.env...)
	g.process.Stdout, g.process.Stderr = g.log, g.log
	if err := g.process.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.ended = make(chan error, 1)
	go func() { g.ended <- g.process.Wait() }()
	ctx := testwait.Context(g.t)
	testwait.For(g.t, "the gateway to answer", func() bool {
		select {
		case err := <-g.ended:
			g.process = nil
			g.t.Fatalf("the gateway ended: %v\n%s", err, g.log)
		default:
		}
		return g.client("").Health(ctx) == nil
	})
	g.operator, g.agent = g.client(g.token("operator")), g.client(g.token("agent"))
}

func (g *gateway) client(token string) *client.Client {
	g.t.Helper()
	authorities := [][]byte{g.ca}
	if g.ca == nil {
		authorities = nil
	}
	c, err := client.New(g.url(), token, authorities...)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g *gateway) url() string {
	if g.ca != nil {
		return "https://" + g.address
	}
	return "http://" + g.address
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
	case <-testwait.Context(g.t).Done():
		_ = g.process.Process.Kill()
		<-g.ended
		g.t.Errorf("the gateway did not end by itself\n%s", g.log)
	}
	g.process = nil
}

// tape records what a process prints, and can be read meanwhile.
type tape struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *tape) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

func (t *tape) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
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

// settled waits until no box is left, which is after the answer of a close.
func (g *gateway) settled(t *testing.T) {
	t.Helper()
	testwait.For(t, "the boxes to be gone", func() bool { return len(g.boxes()) == 0 })
}

// again lets a goroutine beside the test look again a little later. It reports
// false when the context has ended.
func again(ctx context.Context) bool {
	testwait.Latency(ctx, 50*time.Millisecond)
	return ctx.Err() == nil
}

// command runs the command line against the gateway, and returns standard
// output, standard error and the exit status.
func (g *gateway) command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return g.piped(t, "", args...)
}

// piped is a command with standard input.
func (g *gateway) piped(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, complaint bytes.Buffer
	c := exec.CommandContext(testwait.Context(t), binary, append(args, "--config", g.config)...)
	c.Env = append(os.Environ(), g.env...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &complaint
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Error(err)
		return "", err.Error(), -1
	}
	return out.String(), complaint.String(), c.ProcessState.ExitCode()
}
