// Command glovebox is the gateway, the guest, the MCP server and the command
// line, in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/gloveboxhq/glovebox/internal/app"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := app.Main(ctx, version, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
