package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"golang.org/x/term"
)

const (
	refreshAnyway = 30 * time.Second       // between reads of the list, while events come
	refreshOften  = time.Second            // while no events come
	answerLimit   = 10 * time.Second       // of a call that a person waits for
	escapeTime    = 100 * time.Millisecond // in which the rest of a key's sequence comes
)

// screen is a terminal that shows the approvals model.
type screen struct {
	env      *environment
	gateway  caller
	board    approvalsModel
	fd       int
	polling  bool     // events do not come: read the list often
	pictures []string // files to remove
}

// terminal returns the descriptor of standard input where that, and the output,
// is a terminal.
func (env *environment) terminal() (fd int, is bool) {
	file, ok := env.io.In.(*os.File)
	if !ok || !env.io.Terminal || env.json {
		return 0, false
	}
	return int(file.Fd()), term.IsTerminal(int(file.Fd()))
}

// run shows the questions until the person ends it or ctx does.
func (s *screen) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	before, err := term.MakeRaw(s.fd)
	if err != nil {
		return fault.New(fault.InvalidRequest, "the terminal cannot be used").Hinted("use glovebox approvals list").Because(err)
	}
	s.env.printf("\x1b[?1049h\x1b[?25l") // alternate screen, no cursor (xterm control sequences)
	defer func() {
		s.env.printf("\x1b[?25h\x1b[?1049l")
		_ = term.Restore(s.fd, before)
		for _, file := range s.pictures {
			_ = os.Remove(file)
		}
	}()
	news, state := make(chan struct{}, 1), make(chan error, 1)
	heard := make(chan struct{})
	go func() { defer close(heard); s.listen(ctx, news, state) }()
	defer func() { stop(); <-heard }()
	return s.loop(ctx, news, state)
}

// listen sends to news for each event about questions, also after restarts of the
// gateway. It sends to state whether events come: nil when they do.
func (s *screen) listen(ctx context.Context, news chan<- struct{}, state chan<- error) {
	tell := func(err error) {
		select {
		case state <- err:
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		args := &action.FollowEvents{Kinds: "question,answer"}
		err := s.env.followEvents(ctx, s.gateway, args, func(action.Event) error {
			tell(nil)
			select {
			case news <- struct{}{}:
			default: // sent already
			}
			return nil
		}, tell)
		if err == nil {
			return // ctx ended
		}
		tell(err)
		select {
		case <-time.After(retryLate):
		case <-ctx.Done():
		}
	}
}

func (s *screen) loop(ctx context.Context, news <-chan struct{}, state <-chan error) error {
	keys, sizes := s.keys(ctx), make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	defer signal.Stop(sizes)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	looked := time.Time{}
	for {
		if every := map[bool]time.Duration{true: refreshOften, false: refreshAnyway}[s.polling]; time.Since(looked) >= every {
			looked = time.Now()
			if err := s.refresh(ctx); err != nil {
				return err
			}
		}
		s.draw()
		select {
		case typed, open := <-keys:
			if !open || s.handle(ctx, s.board.press(typed, time.Now())) {
				return nil
			}
			looked = time.Time{}
		case <-news:
			looked = time.Time{}
		case err := <-state:
			s.polling = err != nil
			looked = time.Time{}
		case now := <-second.C:
			s.board.tick(now)
		case <-sizes:
		case <-ctx.Done():
			return nil
		}
	}
}

// keys reads what is typed, a key or a piece of text at a time.
func (s *screen) keys(ctx context.Context) <-chan string {
	raw, keys := make(chan string), make(chan string)
	go func() { // ends with the process: a read of a terminal cannot be interrupted
		defer close(raw)
		for piece := make([]byte, 1024); ; {
			n, err := s.env.io.In.Read(piece)
			if err != nil {
				return
			}
			select {
			case raw <- string(piece[:n]):
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { // ends with the one above, or with ctx
		defer close(keys)
		for typed := range raw {
			if typed == "\x1b" { // alone, or the first of a sequence
				select {
				case more := <-raw:
					typed += more
				case <-time.After(escapeTime):
				case <-ctx.Done():
				}
			}
			select {
			case keys <- typed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return keys
}

// refresh reads the questions that wait. It is no error when the gateway does not
// answer for a while.
func (s *screen) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	result, err := s.env.send(ctx, s.gateway, action.Call{Verb: action.VerbApprovalList.Name, Args: &action.ApprovalList{}})
	if err != nil {
		if ctx.Err() != nil || isTransient(err) {
			s.board.lost, s.polling = "the gateway does not answer; trying again", true
			return nil
		}
		return err
	}
	s.board.lost = ""
	if l, ok := result.Data.(*action.QuestionListing); ok && s.board.show(l.Questions, time.Now()) {
		s.env.printf("\a")
	}
	return nil
}

// handle does what the model asks for, and reports whether the screen is to end.
func (s *screen) handle(ctx context.Context, w modelRequest) (end bool) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	switch {
	case w.quit:
		return true
	case w.answer != nil:
		result, err := s.env.send(ctx, s.gateway, action.Call{Verb: action.VerbApprovalAnswer.Name, Args: w.answer})
		if err != nil {
			s.board.note = fault.From(err).Message
		} else if q, ok := result.Data.(*action.Question); ok {
			s.board.note = strings.TrimSpace(q.State + " " + element(q.Element))
		}
	case w.picture != "":
		file, err := s.env.savePicture(ctx, s.gateway, w.picture, "")
		if err != nil {
			s.board.note = fault.From(err).Message
		} else {
			s.board.note = "the picture, until you end this: " + file
			s.pictures = append(s.pictures, file)
		}
	}
	return false
}

func (s *screen) draw() {
	columns, rows, err := term.GetSize(s.fd)
	if err != nil {
		columns, rows = 80, 24
	}
	s.env.printf("\x1b[H%s\x1b[K\x1b[J", strings.Join(s.board.view(s.env.style, time.Now(), columns, rows), "\x1b[K\r\n"))
}

// savePicture writes the picture of a question to a file, a new temporary one where
// none is named. It does not overwrite files.
func (env *environment) savePicture(ctx context.Context, gateway caller, artifact, name string) (string, error) {
	result, err := env.send(ctx, gateway, action.Call{Verb: action.VerbArtifactGet.Name, Args: &action.ByID{ID: artifact}})
	if err != nil {
		return "", err
	}
	picture, ok := result.Data.(*action.File)
	if !ok {
		return "", fault.New(fault.NotFound, "there is no picture")
	}
	var file *os.File
	if name == "" {
		file, err = os.CreateTemp("", "glovebox-question-*.jpeg")
	} else {
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		_, err = file.Write(picture.Bytes)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return "", fault.New(fault.InvalidRequest, "the picture cannot be written").Hinted("name a new file in a folder that can be written").Because(err)
	}
	return file.Name(), nil
}
