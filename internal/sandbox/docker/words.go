package docker

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

const (
	lastLines = 10
	maxLine   = 512      // characters
	maxWords  = 64 << 10 // bytes
)

// lastWords returns the last lines a container wrote, made harmless.
func (d *Driver) lastWords(ctx context.Context, made string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	log, err := d.engine.ContainerLogs(ctx, made, client.ContainerLogsOptions{
		ShowStdout: true, ShowStderr: true, Tail: "10",
	})
	if err != nil {
		return "none"
	}
	defer func() { _ = log.Close() }()
	var text bytes.Buffer
	if _, err := stdcopy.StdCopy(&text, &text, io.LimitReader(log, maxWords)); err != nil && text.Len() == 0 {
		return "none"
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimSpace(bridge.Printable(line, maxLine)); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines[max(0, len(lines)-lastLines):], " | ")
}
