package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/demosite"
)

const (
	gatewayStart = 30 * time.Second // for the gateway to answer
	gatewayEnd   = 30 * time.Second // for the gateway to stop its boxes
)

// stage has the parts of the demo: the application, the gateway, the agent and
// the person.
type stage struct {
	binary  string
	dir     string // for all files of this run
	config  string
	site    string // URL of the application
	servers []*http.Server
	gateway *exec.Cmd
	ended   chan error
	agent   *mcp.ClientSession
	person  *client.Client
	n       int // steps printed
}

func open(ctx context.Context, binary string) (_ *stage, err error) {
	dir, err := filepath.Abs(filepath.Join(".glovebox", "demo", time.Now().Format("20060102-150405")))
	if err != nil {
		return nil, fmt.Errorf("cannot name a folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make a folder: %w", err)
	}
	s := &stage{binary: binary, dir: dir, config: filepath.Join(dir, "glovebox.yaml")}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	hosts, err := s.serveSite()
	if err != nil {
		return nil, err
	}
	address, err := s.startGateway(ctx, hosts)
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(filepath.Join(dir, "state", "operator.token"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the operator's token: %w", err)
	}
	s.person, err = client.New("http://"+address, strings.TrimSpace(string(token)))
	if err != nil {
		return nil, err
	}
	return s, s.connect(ctx)
}

// serveSite serves the application and its support widget on two origins, and
// returns their host:port.
func (s *stage) serveSite() ([]string, error) {
	var hosts []string
	var listeners []net.Listener
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("cannot listen: %w", err)
		}
		listeners = append(listeners, listener)
	}
	_, port, _ := net.SplitHostPort(listeners[0].Addr().String())
	site := "localhost:" + port
	support := listeners[1].Addr().String()
	app := demosite.New(demosite.Options{SupportURL: "http://" + support})
	for i, handler := range []http.Handler{app.App(), app.Support()} {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
		s.servers = append(s.servers, server)
		go func() { _ = server.Serve(listeners[i]) }() // ends with close
	}
	hosts = append(hosts, site, support)
	s.site = "http://" + site
	return hosts, nil
}

func (s *stage) startGateway(ctx context.Context, hosts []string) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("cannot find a port: %w", err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	text := fmt.Sprintf(`server: {listen: %q, state_dir: %q}
security:
  network: {navigation: [localhost], subresources: listed, listed: ["127.0.0.1"], allow_private: [%q, %q]}
  hitl: {trusted_domains: [localhost]}
`, address, filepath.Join(s.dir, "state"), hosts[0], hosts[1])
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("cannot write the configuration: %w", err)
	}
	log, err := os.Create(filepath.Join(s.dir, "gateway.log"))
	if err != nil {
		return "", fmt.Errorf("cannot make a log: %w", err)
	}
	defer log.Close()
	s.gateway = exec.Command(s.binary, "serve", "--config", s.config)
	s.gateway.Stdout, s.gateway.Stderr = log, log
	if err := s.gateway.Start(); err != nil {
		return "", fmt.Errorf("cannot start the gateway: %w", err)
	}
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.gateway.Wait() }()
	return address, s.await(ctx, address)
}

func (s *stage) await(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, gatewayStart)
	defer cancel()
	gateway, err := client.New("http://"+address, "")
	if err != nil {
		return err
	}
	for {
		if gateway.Health(ctx) == nil {
			return nil
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("the gateway ended: %w; see %s", err, filepath.Join(s.dir, "gateway.log"))
		case <-ctx.Done():
			return fmt.Errorf("the gateway does not answer; see %s", filepath.Join(s.dir, "gateway.log"))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// connect starts an MCP server on standard input and output, as an agent's client
// does.
func (s *stage) connect(ctx context.Context) error {
	server := exec.Command(s.binary, "mcp", "--config", s.config)
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "demo-agent", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		return fmt.Errorf("cannot connect over MCP: %w", err)
	}
	s.agent = agent
	return nil
}

func (s *stage) close() error {
	var errs []error
	if s.agent != nil {
		errs = append(errs, s.agent.Close())
	}
	if s.gateway != nil && s.ended != nil {
		_ = s.gateway.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-s.ended:
			errs = append(errs, err)
		case <-time.After(gatewayEnd):
			_ = s.gateway.Process.Kill()
			errs = append(errs, errors.New("the gateway did not end by itself"))
		}
	}
	for _, server := range s.servers {
		_ = server.Close()
	}
	return errors.Join(errs...)
}

// command runs the binary as a person does, and returns its output.
func (s *stage) command(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	c := exec.CommandContext(ctx, s.binary, append(args, "--config", s.config)...)
	c.Stdout, c.Stderr = &out, io.MultiWriter(&out)
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("glovebox %s: %w\n%s", strings.Join(args, " "), err, out.String())
	}
	return strings.TrimRight(out.String(), "\n"), nil
}
