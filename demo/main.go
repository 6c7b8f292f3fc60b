// Command demo shows the main job on real pages in a real box: it starts a
// small web application, a gateway and an MCP client, and tells what happens.
// It leaves nothing running; what the session left stays in .glovebox/demo.
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

// patience bounds the whole story: a cold engine takes a few seconds of it.
const patience = 4 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
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
