package bridge

import (
	"context"
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

type endedBox struct{ err error }

func (b *endedBox) Err() error { return b.err }

// connected returns a connect function that succeeds at once.
func connected(b *endedBox) func(context.Context) (*endedBox, error) {
	return func(context.Context) (*endedBox, error) { return b, nil }
}

func TestBoxIDIsFreeOnceItsBoxHasEnded(t *testing.T) {
	set := NewBoxSet[*endedBox]()
	defer set.Close()
	first, second := &endedBox{}, &endedBox{}
	if _, err := set.Connect(t.Context(), "a", connected(first)); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Connect(t.Context(), "a", connected(second)); fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("the id of a running box: %v", err)
	}
	first.err = errors.New("ended")
	if _, err := set.Connect(t.Context(), "a", connected(second)); err != nil {
		t.Errorf("the id of an ended box: %v", err)
	}
	set.Remove("a", first)
	if b, found := set.Get("a"); !found || b != second {
		t.Error("removing the ended box removed its successor")
	}
}

func TestPendingBoxIsCancelledByIDAndByClose(t *testing.T) {
	for name, cancel := range map[string]func(*BoxSet[*endedBox]) error{
		"by id":    func(s *BoxSet[*endedBox]) error { return s.CancelPending(context.Background(), "a") },
		"by Close": func(s *BoxSet[*endedBox]) error { s.Close(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			set := NewBoxSet[*endedBox]()
			defer set.Close()
			began, result := make(chan struct{}), make(chan error, 1)
			go func() {
				_, err := set.Connect(t.Context(), "a", func(ctx context.Context) (*endedBox, error) {
					close(began)
					<-ctx.Done()
					return nil, ctx.Err()
				})
				result <- err
			}()
			<-began
			if err := cancel(set); err != nil {
				t.Error(err)
			}
			if err := <-result; !errors.Is(err, context.Canceled) {
				t.Errorf("Connect returned %v", err)
			}
			if _, found := set.Get("a"); found {
				t.Error("the cancelled box is in the set")
			}
		})
	}
}

func TestClosedBoxSetRefusesBoxes(t *testing.T) {
	set := NewBoxSet[*endedBox]()
	set.Close()
	if _, err := set.Connect(t.Context(), "a", connected(&endedBox{})); fault.CodeOf(err) != fault.NotActive {
		t.Errorf("Connect returned %v", err)
	}
}
