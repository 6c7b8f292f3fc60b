package session_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func pooled(n int) tweak { return with(func(c *session.Config) { c.WarmPool = n }) }

func TestAWarmBoxIsUsedOnceAndReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(2))
		synctest.Wait()
		var used []string
		for range 3 {
			ready := r.boxes()
			if len(ready) != 2 {
				t.Fatalf("ready: %v", ready)
			}
			s := r.start(alice, action.SessionStart{})
			if !slices.Contains(ready, s.Box) || slices.Contains(used, s.Box) {
				t.Errorf("box %s is not a fresh one of %v (used %v)", s.Box, ready, used)
			}
			used = append(used, s.Box)
			if info := r.info(s.Box); info.Session != s.ID || info.ScopeHash == "" {
				t.Errorf("assigned: %+v", info)
			}
			_, err := r.call(t.Context(), alice, "session.close", s.ID, nil)
			must(t, err)
			synctest.Wait()
			if slices.Contains(r.boxes(), s.Box) {
				t.Error("the used box still runs")
			}
		}
		if !r.told("session", "started in a warm box") {
			t.Error("no event says that the box was warm")
		}
	})
}

func (r *rig) info(box string) (found struct{ Session, ScopeHash string }) {
	for _, i := range r.engine.Boxes() {
		if i.ID == box {
			found.Session, found.ScopeHash = i.Session, i.ScopeHash
		}
	}
	return found
}

func TestAnotherShapeGetsAColdBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1))
		synctest.Wait()
		ready := r.boxes()
		for _, args := range []action.SessionStart{{Headless: true}, {Width: 800}, {Height: 100}, {DPI: 120}} {
			if s := r.start(alice, args); slices.Contains(ready, s.Box) {
				t.Errorf("%+v got the warm box", args)
			}
		}
		if s := r.start(alice, action.SessionStart{Width: 1280, DPI: 96}); s.Box != ready[0] {
			t.Errorf("an explicit default shape got %s", s.Box)
		}
	})
}

func TestAWarmPageCanLoadNothingBeforeItIsAssigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1))
		synctest.Wait()
		box := r.boxes()[0]
		page := r.page(box)
		holds := func(want bool) {
			t.Helper()
			page.set(func(p *tab) {
				if allowed := p.options.Guard("https://app.example/") == nil; allowed != want {
					t.Errorf("allowed %t, want %t", allowed, want)
				}
			})
			if d := r.proxy.Judge(box, "https://app.example/"); d.Allowed != want {
				t.Errorf("the proxy says %+v", d)
			}
		}
		holds(false)
		r.start(alice, action.SessionStart{})
		holds(true)
		_, err := r.call(t.Context(), alice, "session.close", "", nil)
		must(t, err)
		holds(false)
	})
}

func TestADeadWarmBoxIsReplaced(t *testing.T) {
	kills := map[string]func(r *rig, box string){
		"box":     func(r *rig, box string) { r.engine.Kill(box) },
		"browser": func(r *rig, box string) { _ = r.page(box).stream.Close() },
	}
	for name, kill := range kills {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, pooled(1))
				synctest.Wait()
				dead := r.boxes()[0]
				kill(r, dead)
				synctest.Wait()
				if now := r.boxes(); len(now) != 1 || now[0] == dead {
					t.Errorf("boxes %v after %s died", now, dead)
				}
			})
		})
	}
}

func TestThePoolWaitsLongerAfterEachFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1), func(r *rig) { r.fail = errors.New("no page") })
		time.Sleep(time.Hour)
		synctest.Wait()
		r.mu.Lock()
		tries := r.opens
		r.fail = nil
		r.mu.Unlock()
		if tries < 60 || tries > 70 { // 1, 2, 4 … 32 s, then once a minute
			t.Errorf("%d tries in an hour", tries)
		}
		if len(r.boxes()) != 0 {
			t.Errorf("failures left %v", r.boxes())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(r.boxes()) != 1 {
			t.Errorf("repaired, and boxes are %v", r.boxes())
		}
	})
}

func TestASessionDoesNotWaitForThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1), func(r *rig) { r.engine.FailAt("http", fault.New(fault.StartFailed, "x").Hinted("y")) })
		synctest.Wait()
		r.engine.FailAt("http", nil)
		r.start(alice, action.SessionStart{})
		if !r.told("session", "cold box") {
			t.Error("not started in a cold box")
		}
	})
}

func TestAWarmBoxThatCannotBeAssignedIsSkipped(t *testing.T) {
	for _, warm := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, pooled(warm))
			synctest.Wait()
			r.driver.set(func(d *driver) { d.once = errors.New("the guest hung up") })
			before := r.boxes()
			s := r.start(alice, action.SessionStart{})
			if slices.Contains(before, s.Box) != (warm > 1) {
				t.Errorf("of %d warm boxes got %s", warm, s.Box)
			}
			synctest.Wait()
			if n := len(r.boxes()); n != warm+1 {
				t.Errorf("%d boxes, want the session's and %d warm ones", n, warm)
			}
		})
	}
}

func TestAWarmBoxWithAWeakSandboxIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1))
		synctest.Wait()
		box := r.boxes()[0]
		r.driver.set(func(d *driver) { d.weak = true })
		_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{})
		wants(t, fault.SandboxWeak, err)
		synctest.Wait()
		if slices.Contains(r.boxes(), box) {
			t.Error("the weak box still runs")
		}
	})
}

func TestCloseEndsEveryBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(2))
		synctest.Wait()
		s := r.start(alice, action.SessionStart{})
		release := r.engine.HoldAt("create") // the refill hangs
		defer release()
		must(t, r.Close(t.Context()))
		if len(r.boxes()) != 0 {
			t.Errorf("boxes left: %v", r.boxes())
		}
		if got := r.show(alice, s.ID); got.State != "closed" {
			t.Errorf("%+v", got)
		}
		_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{})
		wants(t, fault.BrowserDisabled, err, "shutting down")
	})
}

func BenchmarkStartFromThePool(b *testing.B) {
	r := newRig(b, pooled(4), with(func(c *session.Config) { c.MaxConcurrent, c.MaxSessions = -1, -1 }))
	started := 0
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		for r.count("box", "warm box is ready") < started+4 {
			<-r.news
		}
		b.StartTimer()
		s := r.start(alice, action.SessionStart{})
		started++
		b.StopTimer()
		_, err := r.call(b.Context(), alice, "session.close", s.ID, nil)
		must(b, err)
		b.StartTimer()
	}
}

func TestAColdStartMakesNoWarmBoxBeforeTheFirstSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(func(c *session.Config) { c.WarmPool, c.ColdStart = 1, true }))
		synctest.Wait()
		if ready := r.boxes(); len(ready) != 0 {
			t.Fatalf("made before the first session: %v", ready)
		}
		s := r.start(alice, action.SessionStart{})
		synctest.Wait()
		if all := r.boxes(); len(all) != 2 || !slices.Contains(all, s.Box) {
			t.Errorf("after the first session: %v", all)
		}
	})
}
