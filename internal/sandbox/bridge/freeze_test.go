package bridge

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAMessageThawsAFrozenBox(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	s := r.stream(l)
	for range 3 {
		thawed, err := l.Freeze(r.context())
		if err != nil || !r.guest.frozen.Load() {
			t.Fatalf("frozen %t, %v", r.guest.frozen.Load(), err)
		}
		if _, err := l.Health(r.context()); err != nil || !r.guest.frozen.Load() {
			t.Errorf("asked for its health it is frozen: %t, %v", r.guest.frozen.Load(), err)
		}
		wantEcho(t, s, "wake up")
		<-thawed
		if r.guest.frozen.Load() {
			t.Error("the message came to a frozen box")
		}
	}
}

func TestBoxFrozenDuringAWriteRuns(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	s := r.stream(l)
	for range 50 {
		var freezing sync.WaitGroup
		freezing.Go(func() {
			if _, err := l.Freeze(r.context()); err != nil {
				t.Error(err)
			}
		})
		if err := s.Write([]byte("wake up")); err != nil { // before, during or after the freeze
			t.Fatal(err)
		}
		freezing.Wait()
		if known := l.freezer.current() != nil; known != r.guest.frozen.Load() {
			t.Fatalf("the link takes it to be frozen: %t, and it is: %t", known, r.guest.frozen.Load())
		}
		if err := l.Thaw(r.context()); err != nil || r.guest.frozen.Load() {
			t.Fatalf("it is still frozen, %v", err)
		}
		if _, err := s.Read(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBoxThatCannotBeFrozenRuns(t *testing.T) {
	r := newTestBox(t, longLease)
	r.guest.freezeErr = errors.New("cannot stop process 7")
	l := r.listen(nil)
	r.dial()
	thawed, err := l.Freeze(r.context())
	if fault.CodeOf(err) != fault.CDPError || !strings.Contains(err.Error(), "cannot stop process 7") || thawed != nil {
		t.Errorf("it is frozen: %v, %v", thawed, err)
	}
	if l.freezer.current() != nil {
		t.Error("the link takes it to be frozen")
	}
	wantEcho(t, r.stream(l), "and it answers")
}

func TestBoxOfAGuestWithoutFreezeRuns(t *testing.T) {
	r := newTestBox(t, longLease)
	whole := r.dialer.Handler
	r.dialer.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/freeze" || q.URL.Path == "/thaw" {
			http.NotFound(w, q)
			return
		}
		whole.ServeHTTP(w, q)
	})
	l := r.listen(nil)
	r.dial()
	s := r.stream(l)
	for range 2 {
		if thawed, err := l.Freeze(r.context()); fault.CodeOf(err) != fault.CDPError || thawed != nil {
			t.Errorf("it is frozen: %v, %v", thawed, err)
		}
		wantEcho(t, s, "and it answers")
	}
}

func TestAClosedLinkIsNotFrozen(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Freeze(r.context()); fault.CodeOf(err) != fault.NotActive || r.guest.frozen.Load() {
		t.Errorf("it is frozen: %t, %v", r.guest.frozen.Load(), err)
	}
}
