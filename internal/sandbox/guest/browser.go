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

// probeID is the id of the guest's own first call: near the largest id that the
// protocol allows (a 32 bit integer). No client is attached yet.
const probeID = 1<<31 - 3

const (
	writeTimeout   = 10 * time.Second // a browser that does not read a message for this long is killed
	maxProbeAnswer = 64 << 10         // bytes of the answer to the guest's own call
)

// browser is a Chromium that answers calls.
type browser struct {
	process *child
	version bridge.Version
	reader  *bufio.Reader // messages from Chromium; only forwardToClient reads them

	writing sync.Mutex // guards out
	writer  *os.File

	mu     sync.Mutex
	client *client // nil while none is connected
	gone   bool
	close  func() // closes both pipes
}

// launch starts Chromium and waits until it has answered a call.
func (g *guest) launch(ctx context.Context, display string) (*browser, error) {
	if err := g.awaitProfile(ctx); err != nil {
		return nil, err
	}
	if err := g.config.makeDirs(); err != nil {
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
	command := g.command(g.config.Chromium, display, ChromiumFlags(g.config)...)
	command.ExtraFiles = []*os.File{fromUs, toUs} // become file descriptors 3 and 4, for --remote-debugging-pipe
	command.Stdout, command.Stderr = g.log.writer(""), g.log.writer("")
	p, err := g.children.start("browser", command)
	_, _ = fromUs.Close(), toUs.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, err
	}
	g.state.update(func(s *snapshot) { s.process.Running, s.process.PID, s.process.Exit = true, p.pid, "" })
	b := &browser{process: p, reader: bufio.NewReaderSize(in, 64<<10), writer: out}
	b.close = sync.OnceFunc(func() { _, _ = in.Close(), out.Close() })
	if err := b.probe(ctx, g.config.LaunchTimeout, in); err != nil {
		b.close()
		p.stop(browserGrace)
		return nil, err
	}
	return b, nil
}

// probe calls Browser.getVersion and stores the result.
func (b *browser) probe(ctx context.Context, limit time.Duration, in *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = in.SetReadDeadline(time.Now()) })
	defer stop()
	call := fmt.Appendf(nil, `{"id":%d,"method":"Browser.getVersion"}`, probeID)
	if err := b.send(append(call, 0)); err != nil {
		return b.probeError(ctx)
	}
	for {
		data, err := readMessage(b.reader, maxProbeAnswer)
		if err != nil {
			return b.probeError(ctx)
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

// probeError returns why the browser did not answer.
func (b *browser) probeError(ctx context.Context) error {
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

// readMessage reads up to the next NUL byte.
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

// send writes a message, which ends with a NUL byte. It kills a browser that does
// not read the message in time, because a partial message cannot be undone.
func (b *browser) send(message []byte) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	if err := b.writer.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("cannot set a deadline: %w", err)
	}
	if _, err := b.writer.Write(message); err != nil {
		b.process.kill()
		return fmt.Errorf("cannot write to the browser: %w", err)
	}
	return nil
}
