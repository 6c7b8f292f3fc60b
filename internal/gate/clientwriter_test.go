package gate_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// fakeBrowser is an attachment whose browser sends a message in pieces.
type fakeBrowser struct {
	pieces []string // an empty one ends a message
	failed error
}

func (s *fakeBrowser) Serve(ctx context.Context, wire action.Wire) error {
	for i, p := range s.pieces {
		if p == "" {
			continue
		}
		last := i+1 == len(s.pieces) || s.pieces[i+1] == ""
		if s.failed = wire.Write(ctx, []byte(p), last); s.failed != nil {
			return s.failed
		}
	}
	return nil
}

func (s *fakeBrowser) Close() {}

func (s *leakySessions) Attach(context.Context, action.Call, action.Pin, func(action.Message)) (action.Attachment, error) {
	return s.speaks, nil
}

// wireRecorder records what is written to a wire.
type wireRecorder struct {
	action.Wire
	pieces   []string
	messages []string
	current  string
	heard    func()
}

func (w *wireRecorder) Write(_ context.Context, piece []byte, last bool) error {
	w.pieces = append(w.pieces, string(piece))
	if w.current += string(piece); last {
		w.messages, w.current = append(w.messages, w.current), ""
	}
	if w.heard != nil {
		w.heard()
	}
	return nil
}

func serve(t *testing.T, h *testGate, on *wireRecorder) {
	t.Helper()
	client, err := h.Attach(t.Context(), action.Call{Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Serve(t.Context(), on); err != nil {
		t.Fatal(err)
	}
}

func TestSecretsInPiecesOfMessagesAreRedacted(t *testing.T) {
	h, pages, known := withSecrets(t)
	pages.speaks = &fakeBrowser{pieces: []string{
		`{"id":1,"result":{"cookies":[{"value":"` + canary[:7], canary[7:] + `","size":24}]}}`, "",
		`{"method":"Network.requestWillBeSentExtraInfo","params":{"headers":{"Cookie":"sid=` + canary + `"}}}`, "",
		`{"id":2,"result":{}}`,
	}}
	plain := &wireRecorder{}
	serve(t, h, plain)
	if want := []string{pages.speaks.pieces[0], pages.speaks.pieces[1], pages.speaks.pieces[3], pages.speaks.pieces[5]}; !slices.Equal(plain.pieces, want) {
		t.Errorf("without credentials pieces must be passed on at once: got %q", plain.pieces)
	}
	known.Learn("s1", credentials.Keep(canary))
	clean := &wireRecorder{}
	serve(t, h, clean)
	if len(clean.messages) != 3 {
		t.Fatalf("got %q", clean.messages)
	}
	for _, m := range clean.messages {
		hides(t, "a message", m)
		if !json.Valid([]byte(m)) {
			t.Errorf("not JSON: %s", m)
		}
	}
	if !strings.Contains(clean.messages[1], "sid=[redacted]") {
		t.Errorf("got %s", clean.messages[1])
	}
}

func TestAPartlySentMessageIsRedactedWhenASecretBecomesKnown(t *testing.T) {
	h, pages, known := withSecrets(t)
	pages.speaks = &fakeBrowser{pieces: []string{`{"id":1,"result":{"a":"begun",`, `"b":"` + canary[:5], canary[5:] + `"}}`}}
	out := &wireRecorder{heard: func() { known.Learn("s1", credentials.Keep(canary)) }}
	serve(t, h, out)
	if want := []string{`{"id":1,"result":{"a":"begun","b":"[redacted]"}}`}; !slices.Equal(out.messages, want) {
		t.Errorf("got %q", out.messages)
	}
}

func TestAMessageThatIsTooLongToRedactIsNotSent(t *testing.T) {
	h, pages, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	long := strings.Repeat("x", 48<<20)
	pages.speaks = &fakeBrowser{pieces: []string{long, long}}
	client, err := h.Attach(t.Context(), action.Call{Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	out := &wireRecorder{}
	if err := client.Serve(t.Context(), out); fault.CodeOf(err) != fault.RedactionFailed || len(out.pieces) > 0 {
		t.Errorf("got %v after %d pieces", err, len(out.pieces))
	}
}
