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

// speaker is a place at a browser that says something in pieces.
type speaker struct {
	pieces []string // an empty one ends a message
	failed error
}

func (s *speaker) Serve(ctx context.Context, wire action.Wire) error {
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

func (s *speaker) Close() {}

func (s *telling) Attach(context.Context, action.Call, action.Pin, func(action.Message)) (action.Attachment, error) {
	return s.speaks, nil
}

// wall writes down what comes over a wire.
type wall struct {
	action.Wire
	pieces   []string
	messages []string
	current  string
	heard    func()
}

func (w *wall) Write(_ context.Context, piece []byte, last bool) error {
	w.pieces = append(w.pieces, string(piece))
	if w.current += string(piece); last {
		w.messages, w.current = append(w.messages, w.current), ""
	}
	if w.heard != nil {
		w.heard()
	}
	return nil
}

func serve(t *testing.T, h *house, on *wall) {
	t.Helper()
	client, err := h.Attach(t.Context(), action.Call{Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Serve(t.Context(), on); err != nil {
		t.Fatal(err)
	}
}

func TestClientsOfTheProtocolGetNoSecretHoweverItIsCut(t *testing.T) {
	h, pages, known := knowing(t)
	pages.speaks = &speaker{pieces: []string{
		`{"id":1,"result":{"cookies":[{"value":"` + canary[:7], canary[7:] + `","size":24}]}}`, "",
		`{"method":"Network.requestWillBeSentExtraInfo","params":{"headers":{"Cookie":"sid=` + canary + `"}}}`, "",
		`{"id":2,"result":{}}`,
	}}
	plain := &wall{}
	serve(t, h, plain)
	if want := []string{pages.speaks.pieces[0], pages.speaks.pieces[1], pages.speaks.pieces[3], pages.speaks.pieces[5]}; !slices.Equal(plain.pieces, want) {
		t.Errorf("without credentials pieces are passed on as they come: got %q", plain.pieces)
	}
	known.Learn("s1", credentials.Keep(canary))
	clean := &wall{}
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

func TestAMessageThatIsOnItsWayWhenASecretIsLearnedIsRedacted(t *testing.T) {
	h, pages, known := knowing(t)
	pages.speaks = &speaker{pieces: []string{`{"id":1,"result":{"a":"begun",`, `"b":"` + canary[:5], canary[5:] + `"}}`}}
	out := &wall{heard: func() { known.Learn("s1", credentials.Keep(canary)) }}
	serve(t, h, out)
	if want := []string{`{"id":1,"result":{"a":"begun","b":"[redacted]"}}`}; !slices.Equal(out.messages, want) {
		t.Errorf("got %q", out.messages)
	}
}

func TestAMessageThatIsTooLongToBeLookedThroughIsNotPassedOn(t *testing.T) {
	h, pages, known := knowing(t)
	known.Learn("s1", credentials.Keep(canary))
	long := strings.Repeat("x", 48<<20)
	pages.speaks = &speaker{pieces: []string{long, long}}
	client, err := h.Attach(t.Context(), action.Call{Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	out := &wall{}
	if err := client.Serve(t.Context(), out); fault.CodeOf(err) != fault.RedactionFailed || len(out.pieces) > 0 {
		t.Errorf("got %v after %d pieces", err, len(out.pieces))
	}
}
