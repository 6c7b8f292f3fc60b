package guest_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// startWithProfile starts a guest whose browser starts with a profile.
func startWithProfile(t *testing.T, profile []byte) *box {
	t.Helper()
	return start(t, func(c *guest.Config) { c.Profile, c.RestartAttempts = true, 1 }, func(o *bridge.LinkOptions) {
		o.Profile = func(w io.Writer) error {
			_, err := w.Write(profile)
			return err
		}
	})
}

// saveProfile closes the browser and returns its profile.
func (b *box) saveProfile() []byte {
	b.t.Helper()
	body, err := b.link.Profile(testwait.Context(b.t))
	if err != nil {
		b.t.Fatal(err)
	}
	defer body.Close()
	tar, err := io.ReadAll(body)
	if err != nil {
		b.t.Fatal(err)
	}
	return tar
}

func TestCookiesSurviveInAProfile(t *testing.T) {
	first := startWithProfile(t, nil)
	first.ready()
	s := first.cdp()
	expires := time.Now().Add(24 * time.Hour).Unix()
	call(t, s, 1, method("Target.createTarget"), `{"url":"about:blank"}`)
	call(t, s, 2, method("Storage.setCookies"), fmt.Sprintf(`{"cookies":[{"name":"who","value":"ann","url":"http://site.example/","expires":%d},{"name":"session","value":"open","url":"http://site.example/"}]}`, expires))
	profile := first.saveProfile()
	if len(profile) == 0 || len(profile) > 16<<20 {
		t.Errorf("a nearly new profile has %d bytes", len(profile))
	}
	if !bytes.Equal(profile, first.saveProfile()) {
		t.Error("the profile differs when it is requested again")
	}
	if h := first.health(); h.Restarts != 0 || h.Browser.Running {
		t.Errorf("health after the browser was closed: %+v", h)
	}
	first.stop()

	second := startWithProfile(t, profile)
	second.ready()
	s = second.cdp()
	got := string(call(t, s, 1, method("Storage.getCookies"), `{}`))
	if !strings.Contains(got, `"value":"ann"`) || !strings.Contains(got, `"value":"open"`) {
		t.Errorf("the next browser has %s", got)
	}
	if pages := string(call(t, s, 2, method("Target.getTargets"), `{"filter":[{"type":"page"}]}`)); pages != `{"targetInfos":[]}` {
		t.Errorf("the next browser opened %s", pages)
	}
}

func TestKilledBrowserReturnsNoProfile(t *testing.T) {
	b := startWithProfile(t, nil)
	b.ready()
	for range 2 { // it is restarted once
		s := b.cdp()
		wantVersion(t, s)
		kill(t, b.health().Browser.PID)
		if _, err := s.Read(); err == nil {
			t.Fatal("a killed browser answers")
		}
	}
	b.eventually("failure", func(h sandbox.Health) bool { return h.Phase == bridge.PhaseFailed })
	if _, err := b.link.Profile(testwait.Context(t)); fault.CodeOf(err) != fault.CDPError {
		t.Errorf("a killed browser: %v", err)
	}
}

func TestGuestWithoutAProfileReturnsNone(t *testing.T) {
	b := start(t, nil)
	b.ready()
	if _, err := b.link.Profile(testwait.Context(t)); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("Profile returned %v", err)
	}
	wantVersion(t, b.cdp()) // still works
}

func TestMalformedProfileStartsNoBrowser(t *testing.T) {
	b := startWithProfile(t, []byte(strings.Repeat("no tar", 1000)))
	if err := b.link.WaitReady(testwait.Context(t), nil); err == nil {
		t.Error("a browser started")
	}
	if b.health().Browser.Running {
		t.Error("the browser runs")
	}
}
