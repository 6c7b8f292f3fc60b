package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	buildLimit = 10 * time.Minute // of the program and its image
	endLimit   = 40 * time.Second // for a gateway to end its boxes
)

// Image is what boxes are made of here. $GLOVEBOX_TEST_TREE keeps the images
// of trees that are tested side by side apart.
func Image() string { return "glovebox-browser:bench" + os.Getenv("GLOVEBOX_TEST_TREE") }

// built is the program of this tree and its image, made once for a run.
var built struct {
	sync.Mutex
	folder   string
	err      error
	versions []Version // others that were built
}

// Main runs the tests of a package that starts servers, and removes what they
// built: func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }. Servers end when
// the run is interrupted, too.
func Main(m *testing.M) int {
	defer func() {
		built.Lock() // for good: an interruption may be removing it
		removeBuilt()
	}()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted // until the process ends
		interrupt()
		endGateways()
		endAll()
		for range 100 { // 10 s at most, for what is being built
			if built.TryLock() {
				removeBuilt()
				break
			}
			time.Sleep(100 * time.Millisecond) // a mutex has no other way to wait for a limited time
		}
		os.Exit(1)
	}()
	code := m.Run()
	if running.Err() != nil {
		return 1
	}
	return code
}

// running ends when the run is interrupted.
var running, interrupt = context.WithCancel(context.Background())

// buildContext ends with ctx, after the time that a build may take, and when the
// run is interrupted.
func buildContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	stop := context.AfterFunc(running, cancel)
	return ctx, func() { stop(); cancel() }
}

// removeBuilt removes the programs that were built.
func removeBuilt() {
	for _, v := range built.versions {
		v.remove()
	}
	if built.folder != "" {
		_ = os.RemoveAll(built.folder)
	}
}

// gateways are those that run.
var gateways struct {
	sync.Mutex
	all []*gateway
}

// endGateways has all gateways end their boxes and themselves.
func endGateways() {
	gateways.Lock()
	defer gateways.Unlock()
	for _, g := range gateways.all {
		_ = g.end()
	}
}

// Binary builds the program of this tree and the image of its boxes, once for
// a run of tests, and returns its path.
func Binary(ctx context.Context) (string, error) {
	built.Lock()
	defer built.Unlock()
	if built.folder == "" && built.err == nil {
		built.folder, built.err = build(ctx)
	}
	return filepath.Join(built.folder, "glovebox"), built.err
}

func build(ctx context.Context) (string, error) {
	folder, err := os.MkdirTemp("", "gbbench-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder: %w", err)
	}
	ctx, cancel := buildContext(ctx)
	defer cancel()
	return folder, buildIn(ctx, "", filepath.Join(folder, "glovebox"), Image())
}

// gateway is a running glovebox serve.
type gateway struct {
	version                Version
	config, state, address string
	family                 family
	mu                     sync.Mutex
	process                *exec.Cmd
	ended                  chan error
	log                    *tape
}

// openGlovebox starts a gateway in its default configuration, but for what
// these pages need (hosts, and trust, so that nobody is asked) and for the
// limits on how long and how much one session acts; and for each client one
// glovebox mcp.
func openGlovebox(tb testing.TB, n int, sites []string) ([]*Server, error) {
	tb.Helper()
	binary, err := Binary(tb.Context())
	if err != nil {
		return nil, err
	}
	g, err := startGateway(tb, Version{binary, Image()}, Terms{Sites: sites, Trusted: true}.configuration)
	if err != nil {
		return nil, err
	}
	var crew []*Server
	for i := range n {
		s, err := g.client(tb, "")
		if err != nil {
			return nil, err
		}
		if n > 1 {
			name := fmt.Sprintf("worker-%d", i)
			if _, err := s.Call(tb.Context(), "browser_session", map[string]any{"action": "start", "name": name}); err != nil {
				return nil, err
			}
			s.named = name
		}
		crew = append(crew, s)
	}
	return crew, nil
}

// Operator is another client of the same gateway, with the operator's token and
// the tools for debugging: what an agent may not do unasked, as running a script, is measured
// with it.
func (s *Server) Operator(tb testing.TB) *Server {
	tb.Helper()
	if s.gateway == nil {
		tb.Fatalf("%s has no operator", s.Kind)
	}
	token, err := os.ReadFile(filepath.Join(s.gateway.state, "operator.token"))
	if err != nil {
		tb.Fatal(err)
	}
	o, err := s.gateway.client(tb, strings.TrimSpace(string(token)))
	if err != nil {
		tb.Fatal(err)
	}
	o.named = s.named
	return o
}

func (g *gateway) client(tb testing.TB, token string) (*Server, error) {
	tb.Helper()
	f, err := newFamily()
	if err != nil {
		return nil, err
	}
	s := &Server{Kind: Glovebox, family: f, gateway: g}
	p := program{path: g.version.Binary, args: []string{"mcp", "--config", g.config}}
	if token != "" {
		p.env, p.args = []string{"GLOVEBOX_TOKEN=" + token}, append(p.args, "--tools", "+debug")
	}
	return s, connect(tb, s, p)
}

// startGateway starts one with the configuration that configure writes for it.
func startGateway(tb testing.TB, v Version, configure func(*gateway) ([]byte, error)) (*gateway, error) {
	tb.Helper()
	f, err := newFamily()
	if err != nil {
		return nil, err
	}
	g := &gateway{version: v, family: f, config: filepath.Join(f.home, "glovebox.yaml"), state: filepath.Join(f.home, "state")}
	if g.address, err = freeAddress(); err != nil {
		return nil, err
	}
	text, err := configure(g)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(g.config, text, 0o600); err != nil {
		return nil, fmt.Errorf("cannot write the configuration: %w", err)
	}
	gateways.Lock()
	gateways.all = append(gateways.all, g)
	gateways.Unlock()
	tb.Cleanup(func() {
		if err := g.end(); err != nil {
			tb.Error(err)
		}
	})
	return g, g.run(tb.Context())
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("there is no port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// run starts the process and waits until it answers.
func (g *gateway) run(ctx context.Context) error {
	g.log = &tape{}
	g.process = exec.Command(g.version.Binary, "serve", "--config", g.config)
	g.process.Env = append(os.Environ(), g.family.mark)
	g.process.Stdout, g.process.Stderr = g.log, g.log
	if err := g.process.Start(); err != nil {
		g.process = nil
		return fmt.Errorf("cannot start the gateway: %w", err)
	}
	g.ended = make(chan error, 1)
	go func() { g.ended <- g.process.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for !g.healthy(ctx) {
		select {
		case err := <-g.ended:
			g.ended <- err
			return fmt.Errorf("the gateway ended: %w%s", err, g.log)
		case <-ctx.Done():
			return fmt.Errorf("the gateway does not answer%s", g.log)
		case <-time.After(20 * time.Millisecond): // as clients do
		}
	}
	return nil
}

func (g *gateway) healthy(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+g.address+"/v1/health", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// end ends the gateway, and with it its boxes; one that does not is killed,
// and its boxes are removed, which is an error. It may be called more than
// once.
func (g *gateway) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.process == nil {
		return nil
	}
	var fault error
	_ = g.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-g.ended:
	case <-time.After(endLimit):
		_ = g.process.Process.Kill()
		<-g.ended
		fault = fmt.Errorf("the gateway did not end by itself%s", g.log)
	}
	g.process = nil
	if left := g.boxes(); len(left) > 0 {
		fault = errors.Join(fault, fmt.Errorf("boxes are left: %v", left))
		_ = exec.Command("docker", append([]string{"rm", "-f"}, left...)...).Run()
	}
	g.family.end()
	return fault
}

// boxes are the containers of this gateway, in any state.
func (g *gateway) boxes() []string {
	id, err := os.ReadFile(filepath.Join(g.state, "instance"))
	if err != nil {
		return nil
	}
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "label=glovebox.instance="+strings.TrimSpace(string(id))).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}
