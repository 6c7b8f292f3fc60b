package egress

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestRequestsToOneHostAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &rateLimit{interval: 100 * time.Millisecond}
		start := time.Now()
		for range 10 {
			if err := p.wait(t.Context(), "a.test"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 900*time.Millisecond {
			t.Errorf("ten requests took %s", took)
		}
		if err := p.wait(t.Context(), "b.test"); err != nil || time.Since(start) != 900*time.Millisecond {
			t.Error("another host had to wait")
		}
	})
}

func TestRequestsThatWouldWaitTooLongAreRefused(t *testing.T) {
	p := &rateLimit{interval: 3 * time.Second}
	now := time.Unix(1e9, 0)
	for i, want := range []time.Duration{0, 3 * time.Second, 6 * time.Second, 9 * time.Second} {
		if delay, err := p.reserve("a.test", now); err != nil || delay != want {
			t.Errorf("request %d: %s %v", i, delay, err)
		}
	}
	if _, err := p.reserve("a.test", now); err != tooOften {
		t.Errorf("the fifth request: %v", err)
	}
	for i := range maxRatedHosts {
		_, _ = p.reserve(strconv.Itoa(i), now)
	}
	if _, err := p.reserve("one.more", now); err != tooOften {
		t.Errorf("one host too many: %v", err)
	}
	if _, err := p.reserve("one.more", now.Add(time.Hour)); err != nil || len(p.next) != 1 {
		t.Errorf("an hour later %d hosts are tracked (%v)", len(p.next), err)
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	p := &rateLimit{interval: 5 * time.Second}
	_ = p.wait(t.Context(), "a.test")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.wait(ctx, "a.test"); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestPrivateHostsAreNotRateLimited(t *testing.T) {
	w := newTestNetwork(t, func(o *Options) { o.Limits.RequestsPerSecond = 0.01 })
	w.serve("dev.test", "127.0.0.1:3000", hello)
	w.open(action.Network{AllowPrivate: []string{"dev.test:3000"}})
	for i := range 10 {
		if r := w.exchange("GET http://dev.test:3000/ HTTP/1.1\r\nHost: dev.test:3000\r\n\r\n"); r.StatusCode != 200 {
			t.Errorf("request %d: %d %v", i, r.StatusCode, r.Header)
		}
	}
}

func TestTheProxyRefusesTooManyRequests(t *testing.T) {
	w := newTestNetwork(t, func(o *Options) { o.Limits.RequestsPerSecond = 0.01 })
	w.serve("app.test", "9.9.9.9:80", hello)
	w.open(action.Network{Navigation: []string{"app.test"}})
	for i, want := range []int{200, 403} {
		r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
		if r.StatusCode != want {
			t.Errorf("request %d: %d %v", i, r.StatusCode, r.Header)
		}
	}
	if told := w.refused(); told.Reason != string(tooOften) {
		t.Errorf("reported %+v", told)
	}
}
