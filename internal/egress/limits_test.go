package egress

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestTheLimitOfBytesEndsAllConnectionsOfABox(t *testing.T) {
	w := newTestNetwork(t, func(o *Options) { o.Limits.Bytes = 64 << 10 })
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		piece := make([]byte, 16<<10)
		for r.Context().Err() == nil {
			if _, err := rw.Write(piece); err != nil {
				return
			}
		}
	}))
	w.serve("talk.test", "8.8.8.8:80", echo)
	w.open(action.Network{Navigation: []string{"app.test", "talk.test"}})
	other := socket(t, w, "ws://talk.test/")
	endless := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
	n, err := io.Copy(io.Discard, endless.Body)
	if err == nil || n > 128<<10 {
		t.Errorf("an endless answer ended after %d bytes with %v", n, err)
	}
	if told := w.refused(); told.Reason != string(overBytes) {
		t.Errorf("reported %+v", told)
	}
	if err := say(t, other, "still there"); err == nil {
		t.Error("another connection of the box is still open")
	}
	refuses(t, w, "app.test", overBytes)
	w.open(action.Network{Navigation: []string{"app.test"}})
	refuses(t, w, "app.test", overBytes) // new rules do not reset the limit
	w.proxy.Close("box")
	w.open(action.Network{Navigation: []string{"talk.test"}})
	if err := say(t, socket(t, w, "ws://talk.test/"), "another box"); err != nil {
		t.Errorf("the count of the closed box applies to the next: %v", err)
	}
}

// refuses sends a request that the proxy must refuse.
func refuses(t *testing.T, w *testNetwork, host string, want reason) {
	t.Helper()
	r := w.exchange("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
	if got := r.Header.Get("X-Glovebox-Refused"); r.StatusCode != http.StatusForbidden || got != string(want) {
		t.Errorf("%s: %d %q, want %q", host, r.StatusCode, got, want)
	}
}

func TestTheLimitOfTimeEndsAConnection(t *testing.T) {
	w := newTestNetwork(t, func(o *Options) { o.Limits.Connection = 200 * time.Millisecond })
	w.serve("app.test", "9.9.9.9:80", echo)
	w.open(action.Network{Navigation: []string{"app.test"}})
	c, err := w.trySocket("ws://app.test/") // fails where the machine is slower than the limit
	if err == nil {
		defer func() { _ = c.CloseNow() }()
		_, _, err = c.Read(testwait.Context(t))
	}
	if err == nil {
		t.Error("the server spoke first")
	}
	if told := w.refused(); told.Reason != string(tooLong) || told.Host != "app.test" {
		t.Errorf("reported %+v", told)
	}
}

func TestTheLimitOfConnectionsRefusesFurtherOnes(t *testing.T) {
	w := newTestNetwork(t, func(o *Options) { o.Limits.Connections = 2 })
	w.open(action.Network{Navigation: []string{"app.test"}})
	for range 2 {
		refuses(t, w, "evil.test", notAllowed) // the connection stays open
	}
	if r := w.exchange("GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third connection: %d", r.StatusCode)
	}
}

// TestAPageWithManyPartsIsNotDelayed requests many parts at once, as pages do.
func TestAPageWithManyPartsIsNotDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &rateLimit{interval: time.Second / 10, slack: burst}
		start := time.Now()
		for range 200 {
			if err := p.wait(t.Context(), "a.test"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("200 requests at once took %s", took)
		}
		for range 100 {
			if err := p.wait(t.Context(), "a.test"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < 9*time.Second || took > 10*time.Second {
			t.Errorf("100 more took %s", took)
		}
		time.Sleep(burst + 10*time.Second)
		start = time.Now()
		for range 200 {
			_ = p.wait(t.Context(), "a.test")
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("200 after a pause took %s", took)
		}
	})
}
