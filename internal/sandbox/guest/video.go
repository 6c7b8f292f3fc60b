package guest

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

const (
	screenGrace = 500 * time.Millisecond // for the encoder to exit after its input has ended
	maxVideos   = 4                      // at once: one for each codec, and their successors
)

// CanCapture waits for the display and returns why it cannot be captured.
func (g *guest) CanCapture(ctx context.Context) error {
	if g.config.Headless {
		return errors.New("there is no display")
	}
	if _, err := os.Stat(g.config.Encoder); err != nil {
		return fmt.Errorf("the program that captures the display is not installed: %w", err)
	}
	return g.Display(ctx)
}

// ServeVideo starts a program that captures and encodes the display, and sends its
// frames until the gateway leaves, or the program or the display ends. While the
// gateway does not read, the program captures nothing.
func (g *guest) ServeVideo(ctx context.Context, conn *websocket.Conn, spec sandbox.VideoSpec) {
	g.Thaw()
	code, reason := websocket.StatusNormalClosure, ""
	if err := g.sendVideo(ctx, conn, spec); err != nil {
		g.log.add("guest: video: " + err.Error())
		code, reason = bridge.CloseVideoGone, "video gone"
	}
	_ = conn.Close(code, reason) // fails only when the gateway has gone
}

func (g *guest) sendVideo(ctx context.Context, conn *websocket.Conn, spec sandbox.VideoSpec) error {
	if g.videos.Add(1) > maxVideos {
		g.videos.Add(-1)
		return errors.New("too many at once")
	}
	defer g.videos.Add(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e, err := g.startEncoder(spec)
	if err != nil {
		return err
	}
	defer e.stop()
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		defer cancel()
		e.passCommands(ctx, conn)
	})
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = e.frames.SetReadDeadline(time.Now()) })
	defer stop()
	return e.passFrames(ctx, conn)
}

// encoder is a running program that encodes the display.
type encoder struct {
	process  *child
	frames   *os.File // its output
	commands *os.File // its input
}

func (g *guest) startEncoder(spec sandbox.VideoSpec) (*encoder, error) {
	screen := g.state.read().screen
	if screen == "" {
		return nil, errors.New("there is no display")
	}
	frames, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	in, commands, err := os.Pipe()
	if err != nil {
		_, _ = frames.Close(), out.Close()
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	command := g.command(g.config.Encoder, screen, spec.Codec, strconv.Itoa(spec.FPS), strconv.Itoa(spec.Bits))
	command.Stdin, command.Stdout, command.Stderr = in, out, g.log.writer("video: ")
	p, err := g.children.start("encoder", command)
	_, _ = in.Close(), out.Close()
	if err != nil {
		_, _ = frames.Close(), commands.Close()
		return nil, err
	}
	return &encoder{p, frames, commands}, nil
}

func (e *encoder) stop() {
	_, _ = e.commands.Close(), e.frames.Close()
	e.process.stop(screenGrace)
}

// passCommands passes the gateway's commands on, until it leaves.
func (e *encoder) passCommands(ctx context.Context, conn *websocket.Conn) {
	for {
		kind, text, err := conn.Read(ctx)
		if err != nil || kind != websocket.MessageText {
			return
		}
		_ = e.commands.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := e.commands.Write(text); err != nil {
			return
		}
	}
}

// passFrames passes the encoder's frames on. It returns nil when the gateway left.
func (e *encoder) passFrames(ctx context.Context, conn *websocket.Conn) error {
	frames := bufio.NewReaderSize(e.frames, 64<<10)
	var message []byte
	for {
		message = append(message[:0], make([]byte, bridge.VideoHeader)...)
		if _, err := io.ReadFull(frames, message); err != nil {
			return ended(ctx, err)
		}
		size := binary.BigEndian.Uint32(message)
		if size > bridge.MaxVideoFrame {
			return fmt.Errorf("the encoder made a frame of %d bytes", size)
		}
		message = append(message, make([]byte, size)...)
		if _, err := io.ReadFull(frames, message[bridge.VideoHeader:]); err != nil {
			return ended(ctx, err)
		}
		if err := conn.Write(ctx, websocket.MessageBinary, message); err != nil {
			return nil //nolint:nilerr // the gateway left
		}
	}
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("the encoder ended: %w", err)
}
