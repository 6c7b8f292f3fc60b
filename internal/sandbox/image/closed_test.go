package image

import (
	"context"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// A user who may not open the engine's socket is told that, and not to start an
// engine that runs.
func TestAUserMayNotOpenTheSocket(t *testing.T) {
	engine, err := client.New(client.WithHost("unix:///run/closed.sock"), client.WithDialContext(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES)}
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	_, err = engine.Info(t.Context(), client.InfoOptions{})
	f := fault.From(noEngine(err))
	if f.Code != fault.SandboxRuntimeRequired || !strings.Contains(f.Message, "may not open its socket") || !strings.Contains(f.Hint, "usermod -aG docker") {
		t.Errorf("%v: %s; %s", err, f.Message, f.Hint)
	}
}
