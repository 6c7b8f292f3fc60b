// Package installed starts web applications that others made, from Debian's
// packages, npm and Go modules, each with data of its own in a folder that goes
// with it. Requests to them are noted on their way, and their own interfaces,
// databases and files say what they hold.
package installed

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	endLimit  = 5 * time.Second // for a program to end by itself
	bodyLimit = 1 << 20         // bytes of a request that are read
)

// App is a running program and the requests that it was sent.
type App struct {
	apps.Log
	direct string // its address, for those who prepare and inspect it
	proxy  *httputil.ReverseProxy
	// does says what a request did, once it was answered without an error. Nil
	// notes nothing.
	does  func(r *http.Request, body string) (apps.Kind, string)
	state func() (string, error)
}

// newApp notes what a program is sent. Browsers reach it by a name that only
// they know, so the Host header is passed on as it is.
func newApp(direct string, does func(*http.Request, string) (apps.Kind, string), state func() (string, error)) *App {
	target, err := url.Parse(direct)
	if err != nil {
		panic(err) // of an address that we made
	}
	return &App{direct: direct, does: does, state: state, proxy: &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = p.In.Host
		},
	}}
}

// State is the program's data.
func (a *App) State() (string, error) { return a.state() }

// ServeHTTP passes a request on, and notes what it did.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	kind, what := apps.Kind(""), ""
	if a.does != nil {
		kind, what = a.does(r, string(body))
	}
	noted := &answered{ResponseWriter: w, done: func(status int) {
		if kind != "" && status < http.StatusBadRequest {
			a.Note(apps.Effect{At: came, Kind: kind, What: what})
		}
	}}
	a.proxy.ServeHTTP(noted, r)
}

// answered says what a request was answered with, before the answer leaves.
type answered struct {
	http.ResponseWriter
	done func(status int)
	once sync.Once
}

func (a *answered) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.once.Do(func() { a.done(status) })
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap gives a connection that becomes a WebSocket its own.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Missing is what is not there of the programs and folders that an application
// needs.
func Missing(needs []string) []string {
	return slices.DeleteFunc(slices.Clone(needs), func(need string) bool {
		if strings.HasPrefix(need, "/") {
			_, err := os.Stat(need)
			return err == nil
		}
		_, err := exec.LookPath(need)
		return err == nil
	})
}

// line is a method and a path, as servers log them.
func line(r *http.Request) string { return r.Method + " " + r.URL.Path }

// freeAddress is an address of this machine where nobody listens.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// portOf is the port of an address.
func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// starts runs a program until the test ends, or the run is interrupted.
func starts(tb testing.TB, home *peer.Home, program string, args ...string) *said {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		tb.Fatalf("%v (make test-apps installs it)", err)
	}
	out := &said{}
	command := exec.Command(path, args...)
	command.Dir = home.Path()
	command.WaitDelay = endLimit // for children that hold its output
	command.Env = append(os.Environ(), home.Mark(), "HOME="+home.Path(), "PHP_CLI_SERVER_WORKERS=4", "STNOUPGRADE=1", "NODE_ENV=production")
	command.Stdout, command.Stderr = out, out
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	over := make(chan struct{})
	go func() { defer close(over); _ = command.Wait() }()
	tb.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(endLimit): // its home ends it, and what it left behind
		}
	})
	return out
}

// runs runs a program to its end.
func runs(tb testing.TB, home, program string, args ...string) string {
	tb.Helper()
	command := exec.CommandContext(testwait.Context(tb), program, args...)
	command.Dir, command.Env = home, append(os.Environ(), "HOME="+home)
	text, err := command.CombinedOutput()
	if err != nil {
		tb.Fatalf("%v: %v (make test-apps installs what is missing)\n%s", command.Args, err, text)
	}
	return string(text)
}

// answers waits until an address answers.
func answers(tb testing.TB, address string, out *said) {
	tb.Helper()
	there := false
	defer func() {
		if !there {
			tb.Logf("%s does not start:\n%s", address, out)
		}
	}()
	testwait.For(tb, address+" to answer", func() bool {
		response, err := http.Get(address)
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		there = response.StatusCode < http.StatusInternalServerError
		return there
	})
}

// ask makes a request of its own, and returns the answer.
func (a *App) ask(method, path, body string, headers ...string) (string, error) {
	return ask(method, a.direct+path, body, headers...)
}

// ask makes a request with headers, each a name and a value.
func ask(method, address, body string, headers ...string) (string, error) {
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return string(text), fmt.Errorf("%s %s: %s %.300s", method, address, response.Status, text)
	}
	return string(text), nil
}

// said keeps what a program prints, and may be read while it does.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
