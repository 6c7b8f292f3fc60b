package engine_test

import (
	"context"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/engine"
)

// A user without permission to open the engine's socket gets a hint for that, and
// not the hint to start an engine.
func TestUnreachableDistinguishesPermissionFromNoEngine(t *testing.T) {
	for errno, said := range map[syscall.Errno][2]string{
		syscall.EACCES:       {"may not open its socket", "usermod -aG docker"},
		syscall.ECONNREFUSED: {"no container engine answers", "glovebox install engine"},
	} {
		docker, err := client.New(client.WithHost("unix:///run/engine.sock"), client.WithDialContext(func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", errno)}
		}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = docker.Info(t.Context(), client.InfoOptions{})
		if !engine.IsUnreachable(err) {
			t.Errorf("%v: the engine was reached", err)
		}
		f := engine.Unreachable(err, "; do not retry before")
		if f.Code != fault.SandboxRuntimeRequired || !strings.Contains(f.Message, said[0]) || !strings.Contains(f.Hint, said[1]) || !strings.HasSuffix(f.Hint, "; do not retry before") {
			t.Errorf("%v: %s; %s", err, f.Message, f.Hint)
		}
		if err := docker.Close(); err != nil {
			t.Error(err)
		}
	}
}
