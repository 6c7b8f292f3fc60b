package session_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/session"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// chromium is a real browser in a box of the fake engine.
type chromium struct{ *browsertest.Chromium }

func (c chromium) Connect(context.Context) (sandbox.Stream, error) { return c.Transport(), nil }

func (c chromium) Close() error {
	c.Stop()
	return nil
}

func realPages(r *rig) {
	testenv.Require(r.t, testenv.Chromium)
	r.engine.Browser = func(sandbox.Spec) (sandboxtest.Browser, error) {
		c, err := browsertest.Start()
		return chromium{c}, err
	}
	r.options.Open = func(ctx context.Context, box sandbox.Box, o engine.Options) (session.Browser, error) {
		stream, err := box.CDP(ctx)
		if err != nil {
			return nil, err
		}
		b, err := engine.Open(ctx, stream, o)
		if err != nil {
			return nil, errors.Join(err, stream.Close())
		}
		return b, nil
	}
}

func TestASessionInARealBrowser(t *testing.T) {
	for _, warm := range []bool{false, true} {
		t.Run(map[bool]string{false: "cold", true: "warm"}[warm], func(t *testing.T) { mainJob(t, warm) })
	}
}

func mainJob(t *testing.T, warm bool) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<title>Before</title><button onclick="document.title='After'">Go</button>`))
	}))
	t.Cleanup(site.Close)
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(elsewhere.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	r := newRig(t, realPages, with(func(c *session.Config) { c.Network.AllowPrivate = []string{host} }), func(r *rig) {
		if warm {
			r.options.Config.WarmPool = 1
		}
	})
	for warm && !r.told("box", "warm box is ready") {
		<-r.news // an event was recorded
	}
	s := r.start(alice, action.SessionStart{URL: site.URL})
	if s.Page == nil || s.Page.Title != "Before" {
		t.Fatalf("started at %+v", s.Page)
	}
	_, err := r.call(t.Context(), alice, "page.click", "", &action.Click{Locator: action.Locator{Role: "button", Name: "Go"}})
	must(t, err)
	result, err := r.call(t.Context(), alice, "page.extract", "", &action.Extract{Mode: "title"})
	must(t, err)
	if got := result.Data.(*action.Extracted); got.Title != "After" {
		t.Errorf("extracted %+v", got)
	}
	_, err = r.call(t.Context(), alice, "page.goto", "", &action.Goto{URL: elsewhere.URL})
	wants(t, fault.BlockedDomain, err, "127.0.0.1")
	if len(r.boxes()) == 0 {
		t.Fatal("the box is gone")
	}
	r.engine.Kill(s.Box)
	_, err = r.call(t.Context(), alice, "page.back", s.ID, nil)
	wants(t, fault.NotActive, err, "start a new session")
}
