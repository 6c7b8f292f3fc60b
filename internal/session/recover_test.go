package session_test

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/session"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func keep(c *session.Config) { c.KeepBoxes = true }

func TestASessionGoesOnAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1), with(keep))
		synctest.Wait()
		before := r.start(alice, action.SessionStart{Name: "work", Allow: []string{"a.wide.example"}, URL: "https://a.wide.example/"})
		r.page(before.Box).set(func(p *tab) { p.fail = fault.New(fault.NotActionable, "none").Hinted("x") })
		_, err := r.call(t.Context(), alice, "page.click", "work", &action.Click{})
		wants(t, fault.NotActionable, err)
		before = r.show(alice, "work")

		next := r.again(with(keep))
		if diff := cmp.Diff([]string{before.Box}, next.boxes()); diff != "" {
			t.Errorf("boxes: %s", diff)
		}
		after := next.show(alice, "work")
		if after.ID != before.ID || after.State != "open" || after.Actions != before.Actions || after.Closed != nil {
			t.Errorf("before %+v, after %+v", before, after)
		}
		facts, _, err := next.Look(t.Context(), action.Call{Verb: "session.show", Caller: alice})
		must(t, err)
		if facts.Session.Failures != 1 {
			t.Errorf("facts %+v", facts.Session)
		}
		_, err = next.call(t.Context(), alice, "page.goto", "work", &action.Goto{URL: "https://a.wide.example/2"})
		must(t, err)
		_, err = next.call(t.Context(), alice, "page.goto", "work", &action.Goto{URL: "https://app.example/"})
		wants(t, fault.BlockedDomain, err) // the session keeps its own network
		_, err = next.call(t.Context(), bob, "session.show", "work", nil)
		wants(t, fault.SessionNotFound, err)
		if !next.told("session", "taken up again") {
			t.Error("no event says that the session was taken up again")
		}
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if got := next.show(alice, "work"); got.State != "closed" || len(next.boxes()) != 0 {
			t.Errorf("its limits are lost: %+v, boxes %v", got, next.boxes())
		}
	})
}

// TestEmulationSurvivesARestart checks the emulated device, also in a warm
// browser, and after a restart.
func TestEmulationSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooled(1), with(keep))
		synctest.Wait()
		want := action.Emulation{Locale: "de-DE", Timezone: "Europe/Berlin", Geolocation: &action.Geolocation{Latitude: 52.5}}
		box := r.start(alice, action.SessionStart{Name: "warm", Emulate: &want}).Box
		phone := r.start(alice, action.SessionStart{Name: "phone", Emulate: &action.Emulation{Device: "phone"}, Width: 400})
		if phone.Width != 400 || phone.Height != action.Devices["phone"].Height || phone.DPI != action.Devices["phone"].DPI {
			t.Errorf("the phone is %d by %d at %d dpi", phone.Width, phone.Height, phone.DPI)
		}
		for range 2 {
			if diff := cmp.Diff(want, r.page(box).options.Emulate); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(&want, r.show(alice, "warm").Emulate); diff != "" {
				t.Error(diff)
			}
			r = r.again(with(keep))
		}
	})
}

func TestReferencesDifferAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(keep))
		box := r.start(alice, action.SessionStart{Name: "work"}).Box
		for life := range 3 {
			if got := r.page(box).options.Life; got != life {
				t.Errorf("the browser's life is %d, want %d", got, life)
			}
			r = r.again(with(keep))
		}
	})
}

func TestEveryBoxWithoutAnOpenSessionIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(keep))
		s := r.start(alice, action.SessionStart{})
		r.end()
		never, other := sandbox.NewID(), sandbox.NewID()
		r.engine.AddUnstarted("gw", never)
		r.engine.AddUnstarted("another gateway", other)
		warm, err := r.engine.Driver("gw").Start(t.Context(), r.spec(sandbox.NewID()))
		must(t, err)
		next := boot(t, r.state, r.engine, with(keep))
		want := []string{s.Box, other}
		slices.Sort(want)
		if diff := cmp.Diff(want, next.boxes()); diff != "" {
			t.Errorf("never started %s, warm %s: %s", never, warm.Info().ID, diff)
		}
		if !next.told("box", "left-over box ended") {
			t.Error("no event says that a box was ended")
		}
		must(t, r.engine.Driver("another gateway").Stop(t.Context(), other))
	})
}

func (r *rig) spec(id string) sandbox.Spec {
	return sandbox.Spec{ID: id, Width: 10, Height: 10, DPI: 96, Egress: func(conn net.Conn) { _ = conn.Close() }}
}

func TestTheNewConfigurationAppliesAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(keep))
		agents, operators := r.start(alice, action.SessionStart{}), r.start(admin, action.SessionStart{Allow: []string{"b.example"}})
		next := r.again(with(keep), with(func(c *session.Config) {
			c.Network = action.Network{Navigation: []string{"app.example"}, Subresources: "listed"}
		}))
		for _, s := range []struct{ id, allow string }{{agents.ID, "app.example"}, {operators.ID, "b.example"}} {
			if diff := cmp.Diff([]string{s.allow}, next.show(alice, s.id).Allow); diff != "" {
				t.Error(diff)
			}
		}
		if d := next.proxy.Judge(agents.Box, "https://a.wide.example/"); d.Allowed {
			t.Error("a host that was taken off the configuration is still allowed")
		}
		if d := next.proxy.Judge(operators.Box, "https://b.example/"); !d.Allowed {
			t.Errorf("the operator's host: %+v", d)
		}
	})
}

func TestSessionsWithoutALivingBoxAreFailed(t *testing.T) {
	losses := map[string]func(r *rig, box string){
		"stopped": func(r *rig, box string) { must(r.t, r.engine.Driver("gw").Stop(r.t.Context(), box)) },
		"exited":  func(r *rig, box string) { r.engine.Kill(box) },
	}
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, with(keep))
				s := r.start(alice, action.SessionStart{})
				r.end()
				lose(r, s.Box)
				next := boot(t, r.state, r.engine, with(keep))
				got := next.show(alice, s.ID)
				if got.State != "failed" || got.Reason != "its box was lost while the gateway was down" || got.Closed == nil || len(next.boxes()) != 0 {
					t.Errorf("%+v, boxes %v", got, next.boxes())
				}
				_, err := next.call(t.Context(), alice, "page.back", "", nil)
				wants(t, fault.NotActive, err)
			})
		})
	}
}

// TestASessionIsRecoveredOnlyWithItsOwnBrowser checks that a session keeps a
// browser that its box had restarted before the session started, but not one that
// was restarted since.
func TestASessionIsRecoveredOnlyWithItsOwnBrowser(t *testing.T) {
	for _, then := range []int{0, 1} {
		for _, now := range []int{0, 1, 2} {
			t.Run(fmt.Sprintf("%d then, %d now", then, now), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, with(keep), func(r *rig) { r.driver.again = then })
					s := r.start(alice, action.SessionStart{})
					next := r.again(with(keep), func(r *rig) { r.driver.again = now })
					got := next.show(alice, s.ID)
					switch {
					case then == now && (got.State != "open" || len(next.boxes()) != 1):
						t.Errorf("not recovered: %+v, boxes %v", got, next.boxes())
					case then != now && (got.State != "failed" || got.Reason != "its browser ended while the gateway was down" || len(next.boxes()) != 0):
						t.Errorf("%+v, boxes %v", got, next.boxes())
					}
				})
			})
		}
	}
}

func TestABoxThatCannotBeRecoveredIsEnded(t *testing.T) {
	breaks := map[string]tweak{
		"page": func(r *rig) { r.fail = errors.New("no page") },
		"weak": func(r *rig) { r.driver.weak = true },
	}
	for name, broken := range breaks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, with(keep))
				s := r.start(alice, action.SessionStart{})
				next := r.again(broken)
				if got := next.show(alice, s.ID); got.State != "failed" || len(next.boxes()) != 0 {
					t.Errorf("%+v, boxes %v", got, next.boxes())
				}
			})
		})
	}
}

func TestHalfStartedAndHalfClosedSessionsAreFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(keep))
		want := map[string]string{"starting": "failed", "closing": "closed"}
		ids := map[string]string{}
		for state := range want {
			ids[state] = r.start(alice, action.SessionStart{}).ID
		}
		r.end()
		db, err := store.Open(t.Context(), filepath.Join(r.state, "state.db"))
		must(t, err)
		for state, id := range ids { // as a killed gateway leaves them
			_, err := db.Writer.Exec(`UPDATE sessions SET state = ? WHERE id = ?`, state, id)
			must(t, err)
		}
		must(t, db.Close())
		next := boot(t, r.state, r.engine)
		for state, id := range ids {
			if got := next.show(alice, id); got.State != want[state] || got.Closed == nil {
				t.Errorf("%s: %+v", state, got)
			}
		}
		if len(next.boxes()) != 0 {
			t.Errorf("boxes %v", next.boxes())
		}
	})
}

func TestAnUnreachableEngineIsAskedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with(keep))
		s := r.start(alice, action.SessionStart{})
		away := errors.New("no engine")
		next := r.again(func(r *rig) { r.driver.lists, r.driver.stops = away, away })
		if got := next.show(alice, s.ID); got.State != "failed" {
			t.Errorf("%+v", got)
		}
		if len(next.boxes()) != 1 {
			t.Fatalf("boxes %v", next.boxes())
		}
		next.driver.set(func(d *driver) { d.lists, d.stops = nil, nil })
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if len(next.boxes()) != 0 {
			t.Errorf("boxes %v", next.boxes())
		}
	})
}

func TestABoxThatDidNotStopIsStoppedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		r.driver.set(func(d *driver) { d.stops = errors.New("busy") })
		_, err := r.call(t.Context(), alice, "session.close", s.ID, nil)
		must(t, err)
		if got := r.show(alice, s.ID); got.State != "closed" || len(r.boxes()) != 1 {
			t.Errorf("%+v, boxes %v", got, r.boxes())
		}
		r.driver.set(func(d *driver) { d.stops = nil })
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if len(r.boxes()) != 0 {
			t.Errorf("boxes %v", r.boxes())
		}
	})
}

func TestOldSessionsAndArtifactsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var older time.Time
		r := newRig(t, with(func(c *session.Config) { c.Retention = 24 * time.Hour; c.MaxAge, c.IdleTimeout = -1, -1 }), func(r *rig) {
			r.options.OnRetain = func(before time.Time) error {
				older = before
				return nil
			}
		})
		old, still := r.start(alice, action.SessionStart{}), r.start(alice, action.SessionStart{})
		_, err := r.call(t.Context(), alice, "page.screenshot", old.ID, &action.TakeScreenshot{})
		must(t, err)
		_, err = r.call(t.Context(), alice, "session.archive", old.ID, nil)
		must(t, err)
		time.Sleep(26 * time.Hour)
		synctest.Wait()
		if since := time.Since(older); since < 24*time.Hour || since > 26*time.Hour {
			t.Errorf("what others keep is removed from before %v ago", since)
		}
		_, err = r.call(t.Context(), alice, "session.show", old.ID, nil)
		wants(t, fault.SessionNotFound, err)
		result, err := r.call(t.Context(), alice, "session.list", "", &action.SessionList{IncludeArchived: true})
		must(t, err)
		if list := result.Data.(*action.SessionListing).Sessions; len(list) != 1 || list[0].ID != still.ID {
			t.Errorf("left %v", list)
		}
		fresh := r.start(alice, action.SessionStart{})
		shot, err := r.call(t.Context(), alice, "page.screenshot", fresh.ID, &action.TakeScreenshot{})
		must(t, err)
		if len(shot.Artifacts) != 1 {
			t.Errorf("the old screenshot still takes room: %v", shot.Notes)
		}
	})
}

func TestCountersAreStoredInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		for range 3 {
			_, err := r.call(t.Context(), alice, "page.back", "", nil)
			must(t, err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		var actions int
		must(t, r.db.Reader.QueryRow(`SELECT actions FROM sessions WHERE id = ?`, s.ID).Scan(&actions))
		if actions != 3 {
			t.Errorf("stored %d actions", actions)
		}
	})
}

func TestAnOpenSessionIsStoredBeforeItsStartIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		s := r.start(alice, action.SessionStart{})
		var state, box string
		must(t, r.db.Reader.QueryRow(`SELECT state, box FROM sessions WHERE id = ?`, s.ID).Scan(&state, &box))
		if state != "open" || box != s.Box {
			t.Errorf("stored as %s in box %q; a gateway that dies now would lose it", state, box)
		}
	})
}
