// Command glovebox is the gateway, the guest, the MCP server and the command
// line, in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/gloveboxhq/glovebox/internal/gateway"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() { // ends with the process
		if s, is := (<-signals).(syscall.Signal); is {
			cancel(cli.Interrupted{Signal: s})
		}
	}()
	code := gateway.Main(ctx, version, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
	os.Exit(code)
}
