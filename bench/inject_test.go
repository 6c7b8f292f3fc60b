package bench

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// BenchmarkInject goes from another site to a page with nothing to put in, and
// with 20 cookies, 20 stored items and 5 headers that are new each time: by an
// address, and by a link, for which a hidden tab is opened.
func BenchmarkInject(b *testing.B) {
	address := site(b) + "/small"
	elsewhere := strings.Replace(address, "127.0.0.1", "localhost", 1)
	round := 0
	ways := []struct {
		name    string
		prepare func(browser *engine.Browser) error
		link    bool
	}{
		{"without", func(*engine.Browser) error { return nil }, false},
		{"with", func(browser *engine.Browser) error { return browser.Inject(b.Context(), newSet(address, round)) }, false},
		{"link-without", func(*engine.Browser) error { return nil }, true},
		{"link-with", func(browser *engine.Browser) error { return browser.Inject(b.Context(), newSet(address, round)) }, true},
	}
	open := make([]rig, len(ways))
	for i, way := range ways {
		var browser *engine.Browser
		wire := chromium(b)
		browser, err := engine.Open(b.Context(), wire, engine.Options{
			Width: width, Height: height, Guard: func(string) error { return nil },
			Prepare: func(_ context.Context, to string) error {
				if !strings.HasPrefix(to, address) {
					return nil
				}
				return way.prepare(browser)
			},
		})
		must(b, err)
		b.Cleanup(func() { _ = browser.Close() })
		open[i] = verbs(b, wire, func(verb string, args any) (action.Result, error) {
			_, pin, err := browser.Look(b.Context(), verb, args)
			if err != nil {
				return action.Result{}, err
			}
			return browser.Do(b.Context(), verb, args, pin)
		})
		open[i].click = func() { must(b, follow(b.Context(), browser, address)) }
	}
	took := make([][]time.Duration, len(ways))
	for ; b.Loop(); round++ {
		for step := range ways {
			i := (round + step) % len(ways)
			open[i].load(elsewhere)
			start := time.Now()
			if ways[i].link {
				open[i].click()
			} else {
				open[i].load(address)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, way := range ways {
		b.ReportMetric(float64(median(took[i]))/float64(time.Millisecond), way.name+"-ms")
	}
}

// follow has the page itself go to an address, and waits until it is there.
func follow(ctx context.Context, browser *engine.Browser, address string) error {
	for _, step := range []struct {
		verb string
		args any
	}{
		{"page.execute", &action.Execute{Expression: fmt.Sprintf("location.href = %q", address)}},
		{"page.wait_for", &action.WaitFor{URL: "127.0.0.1"}},
	} {
		_, pin, err := browser.Look(ctx, step.verb, step.args)
		if err == nil {
			_, err = browser.Do(ctx, step.verb, step.args, pin)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newSet(address string, round int) credentials.Set {
	u, _ := url.Parse(address)
	s := credentials.Set{
		Domain: u.Hostname(), Origin: u.Scheme + "://" + u.Host, Version: fmt.Sprint(round), Required: true,
		LocalStorage: map[string]credentials.Secret{}, Headers: map[string]credentials.Secret{},
	}
	for i := range 20 {
		value := credentials.Keep(fmt.Sprintf("value-%d-of-round-%d", i, round))
		s.Cookies = append(s.Cookies, credentials.Cookie{Name: fmt.Sprintf("cookie%d", i), Value: value, HTTPOnly: true})
		s.LocalStorage[fmt.Sprintf("item%d", i)] = value
		if i < 5 {
			s.Headers[fmt.Sprintf("X-Header-%d", i)] = value
		}
	}
	return s
}
