package guest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// probeID is the id of our own call, the last but one that the protocol allows
// (a 32 bit integer): no client begins there, and no client is attached yet.
const probeID = 1<<31 - 3

const (
	deafAfter = 10 * time.Second // a browser that does not take a message for so long is ended
	maxProbe  = 64 << 10         // bytes of the answer to our own call
)

// browser is one Chromium that has answered.
type browser struct {
	process *child
	version bridge.Version
	in      *bufio.Reader // what Chromium says; belongs to the pump

	write sync.Mutex // guards out
	out   *os.File

	mu     sync.Mutex
	client *client // nil while nobody listens
	gone   bool
	close  func() // closes both pipes
}

// launch starts Chromium and returns when it has answered a call.
func (g *guest) launch(ctx context.Context, display string) (*browser, error) {
	if err := g.awaitProfile(ctx); err != nil {
		return nil, err
	}
	if err := g.c.makeDirs(); err != nil {
		return nil, fmt.Errorf("cannot make the browser's directories: %w", err)
	}
	fromUs, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	in, toUs, err := os.Pipe()
	if err != nil {
		_, _ = fromUs.Close(), out.Close()
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	command := g.command(g.c.Chromium, display, ChromiumFlags(g.c)...)
	command.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4, as --remote-debugging-pipe wants them
	command.Stdout, command.Stderr = g.log.writer(""), g.log.writer("")
	p, err := g.children.start("browser", command)
	_, _ = fromUs.Close(), toUs.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, err
	}
	g.state.update(func(s *snapshot) { s.process.Running, s.process.PID, s.process.Exit = true, p.pid, "" })
	b := &browser{process: p, in: bufio.NewReaderSize(in, 64<<10), out: out}
	b.close = sync.OnceFunc(func() { _, _ = in.Close(), out.Close() })
	if err := b.probe(ctx, g.c.LaunchTimeout, in); err != nil {
		b.close()
		p.stop(browserGrace)
		return nil, err
	}
	return b, nil
}

// probe asks Browser.getVersion and keeps the answer.
func (b *browser) probe(ctx context.Context, limit time.Duration, in *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = in.SetReadDeadline(time.Now()) })
	defer stop()
	call := fmt.Appendf(nil, `{"id":%d,"method":"Browser.getVersion"}`, probeID)
	if err := b.send(append(call, 0)); err != nil {
		return b.failure(ctx)
	}
	for {
		data, err := readMessage(b.in, maxProbe)
		if err != nil {
			return b.failure(ctx)
		}
		var answer struct {
			ID     int64 `json:"id"`
			Result struct {
				Protocol  string `json:"protocolVersion"`
				Product   string `json:"product"`
				UserAgent string `json:"userAgent"`
				V8        string `json:"jsVersion"`
			} `json:"result"`
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			return fmt.Errorf("the browser speaks no CDP: %w", err)
		}
		if answer.ID == probeID && answer.Result.Product != "" {
			r := answer.Result
			b.version = bridge.Version{Browser: r.Product, Protocol: r.Protocol, UserAgent: r.UserAgent, V8: r.V8}
			return nil
		}
	}
}

// failure says why there was no answer.
func (b *browser) failure(ctx context.Context) error {
	timer := time.NewTimer(browserGrace)
	defer timer.Stop()
	select {
	case <-b.process.done:
		return errors.New("the browser " + b.process.exit)
	case <-ctx.Done():
		return errors.New("the browser did not answer in time")
	case <-timer.C:
		return errors.New("the browser closed its pipe")
	}
}

// readMessage reads up to the next NUL.
func readMessage(r *bufio.Reader, most int) ([]byte, error) {
	var message []byte
	for {
		chunk, err := r.ReadSlice(0)
		if len(message)+len(chunk) > most {
			return nil, errors.New("message too long")
		}
		message = append(message, chunk...)
		if err == nil {
			return bytes.TrimSuffix(message, []byte{0}), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// send writes a message that ends with its NUL. A browser that does not take
// it in time is ended: half a message cannot be taken back.
func (b *browser) send(message []byte) error {
	b.write.Lock()
	defer b.write.Unlock()
	if err := b.out.SetWriteDeadline(time.Now().Add(deafAfter)); err != nil {
		return fmt.Errorf("cannot set a deadline: %w", err)
	}
	if _, err := b.out.Write(message); err != nil {
		b.process.kill()
		return fmt.Errorf("cannot write to the browser: %w", err)
	}
	return nil
}
