package session_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func TestASessionWithAnUnhealthyBoxEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		ill    func(*driver)
		lasts  time.Duration // how long it stays open after its box became unhealthy
		well   bool          // whether the box recovers then
		reason string        // of its end; empty if it continues
	}{
		"mute":                {func(d *driver) { d.mute = errors.New("no answer") }, 89 * time.Second, false, "does not say how it is, 3 times in a row"},
		"mute for a while":    {func(d *driver) { d.mute = errors.New("no answer") }, 80 * time.Second, true, ""},
		"weak":                {func(d *driver) { d.weak = true }, 59 * time.Second, false, "sandbox does not hold any more"},
		"weak for one moment": {func(d *driver) { d.weak = true }, 40 * time.Second, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, with(func(c *session.Config) { c.IdleTimeout = time.Hour }))
				s := r.start(alice, action.SessionStart{})
				r.driver.set(tt.ill)
				<-time.After(tt.lasts)
				synctest.Wait()
				if state := r.show(alice, s.ID).State; state != "open" {
					t.Fatalf("after %s it is %s", tt.lasts, state)
				}
				if tt.well {
					r.driver.set(func(d *driver) { d.mute, d.weak = nil, false })
				}
				<-time.After(5 * time.Minute)
				synctest.Wait()
				shown := r.show(alice, s.ID)
				if tt.reason == "" && shown.State != "open" {
					t.Errorf("it is %s: %s", shown.State, shown.Reason)
				}
				if tt.reason != "" && (shown.State != "failed" || !strings.Contains(shown.Reason, tt.reason) || r.count("alert", tt.reason) != 1) {
					t.Errorf("it is %s: %s; %d alerts", shown.State, shown.Reason, r.count("alert", ""))
				}
			})
		})
	}
}
