package testwait_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// limited is a test whose binary ends at a given time.
type limited struct {
	testing.TB
	end    time.Time
	failed bool
}

func (l *limited) Deadline() (time.Time, bool)  { return l.end, !l.end.IsZero() }
func (l *limited) Fatalf(string, ...any)        { l.failed = true; runtime.Goexit() }
func (l *limited) do(wait func()) (failed bool) { l.wait(wait); return l.failed }
func (l *limited) wait(f func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	<-done
}

func TestAWaitInVainFailsBeforeTheBinaryEnds(t *testing.T) {
	waits := map[string]func(t testing.TB){
		"For":     func(t testing.TB) { testwait.For(t, "nothing", func() bool { return false }) },
		"Receive": func(t testing.TB) { testwait.Receive(t, make(chan int), "nothing") },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				in := &limited{TB: t, end: began.Add(10 * time.Minute)}
				if !in.do(func() { wait(in) }) {
					t.Error("it did not fail")
				}
				if took := time.Since(began); took < 9*time.Minute || took >= 10*time.Minute {
					t.Errorf("it waited %s of 10 minutes", took)
				}
			})
		})
	}
}

func TestWaitsEndWithTheirEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &limited{TB: t, end: time.Now().Add(time.Minute)}
		values, tries := make(chan int, 1), 0
		values <- 7
		failed := in.do(func() {
			if got := testwait.Receive(in, values, "a value"); got != 7 {
				t.Errorf("received %d", got)
			}
			testwait.For(in, "the third try", func() bool { tries++; return tries == 3 })
		})
		if failed || tries != 3 {
			t.Errorf("failed %t after %d tries", failed, tries)
		}
	})
}

func TestAContextLastsUntilCleanupFunctionsOfBefore(t *testing.T) {
	var ctx context.Context
	t.Run("test", func(t *testing.T) {
		t.Cleanup(func() {
			if ctx.Err() == nil {
				t.Error("it outlives a cleanup function that was registered before it")
			}
			if testwait.Context(t).Err() != nil {
				t.Error("a cleanup function cannot have one")
			}
		})
		ctx = testwait.Context(t)
		t.Cleanup(func() {
			if ctx.Err() != nil {
				t.Error("it ended before a cleanup function that was registered after it")
			}
		})
	})
}

func TestWithoutALimitOfTheBinaryThereIsNone(t *testing.T) {
	unlimited := &limited{TB: t}
	if _, has := testwait.Context(unlimited).Deadline(); has {
		t.Error("there is a limit")
	}
	synctest.Test(t, func(t *testing.T) {
		if _, has := testwait.Deadline(t); has {
			t.Error("a bubble has a limit")
		}
	})
	if testing.Benchmark(func(b *testing.B) {
		if _, has := testwait.Deadline(b); has {
			b.Error("a benchmark has a limit")
		}
	}).N == 0 {
		t.Error("the benchmark failed")
	}
}

func TestLatencyEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		testwait.Latency(t.Context(), time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %s", took)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		testwait.Latency(ended, time.Hour)
		if took := time.Since(began); took != time.Second {
			t.Errorf("an ended context waits: %s", took)
		}
	})
}
