package cli_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// door is a gateway's gate: it notes what reaches it, and answers as it is
// told.
type door struct {
	mu     sync.Mutex
	calls  []action.Call
	answer func(action.Call) (action.Result, error)
}

func (d *door) Call(_ context.Context, c action.Call) (action.Result, error) {
	if err := action.Check(c.Args); err != nil { // as the gate does
		return action.Result{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
	return d.answer(c)
}

func (d *door) Refuse(context.Context, action.Call, error) {}

// taken returns the calls since it was asked last.
func (d *door) taken() []action.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := d.calls
	d.calls = nil
	return calls
}

// anyone lets every token in as an operator.
type anyone struct{}

func (anyone) Identify(context.Context, string) (auth.Identity, error) {
	return auth.Identity{Caller: action.Caller{Actor: "ann", Scope: "default", Role: action.Operator}}, nil
}

// rig is a command line in front of a gateway with that door.
type rig struct {
	t        *testing.T
	url      string
	in       string
	terminal bool
	env      map[string]string
	parts    cli.Deps
}

func newRig(t *testing.T, d *door) *rig {
	t.Helper()
	handler, err := rest.New(rest.Options{Gate: d, Auth: anyone{}, Version: "test", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Chdir(t.TempDir())
	return &rig{t: t, url: server.URL, env: map[string]string{"HOME": t.TempDir()}, parts: cli.Deps{
		Version: "1.2.3",
		Doctor: func(context.Context, config.Config) []cli.Check {
			return []cli.Check{{Name: "engine", OK: true, Detail: "there"}, {Name: "image", Detail: "no image\x1b[2J", Repair: "glovebox image build"}}
		},
	}}
}

// run runs one command and returns what it printed and its exit status.
func (r *rig) run(args ...string) (stdout, stderr string, status int) {
	r.t.Helper()
	return r.runIn(r.t.Context(), args...)
}

func (r *rig) runIn(ctx context.Context, args ...string) (stdout, stderr string, status int) {
	r.t.Helper()
	var out, complaints bytes.Buffer
	env := func(name string) (string, bool) { value, set := r.env[name]; return value, set }
	args = append([]string{"--gateway", r.url, "--token", "a-token"}, args...)
	status = cli.Run(ctx, r.parts, args, env, cli.Stdio{
		In: strings.NewReader(r.in), Out: &out, Err: &complaints, Terminal: r.terminal,
	})
	return out.String(), complaints.String(), status
}
