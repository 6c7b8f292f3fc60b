// Command demo demonstrates the main use case on real pages in a real box: it
// starts a small web application, a gateway and an MCP client, and prints what
// happens. No process is left running; the files of the session stay in
// .glovebox/demo.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// timeout limits the whole demo. A cold container engine needs a few seconds of
// it; a busy machine needs more.
const timeout = 20 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "\ndemo: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	stage, err := open(ctx, "./glovebox")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.close()) }()
	if err := stage.story(ctx); err != nil {
		return err
	}
	return stage.leave(ctx)
}
