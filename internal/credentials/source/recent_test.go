package source_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// counted is a source that counts its look-ups, and answers when the test lets it.
type counted struct {
	mapSource
	mu     sync.Mutex
	asked  int
	answer func(ctx context.Context) error
}

func (c *counted) Fetch(ctx context.Context, path string) (source.Document, error) {
	c.mu.Lock()
	c.asked++
	answer := c.answer
	c.mu.Unlock()
	if err := answer(ctx); err != nil {
		return source.Document{}, err
	}
	return c.mapSource.Fetch(ctx, path)
}

func (c *counted) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

func onShelf(t *testing.T, answer func(context.Context) error) (*counted, *source.Vault) {
	t.Helper()
	c := &counted{mapSource: mapSource{"example.com": text}, answer: answer}
	v, err := source.Open(source.Options{Source: c, Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	return c, v
}

func after(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestAnAnswerIsUsedAgainForThreeSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, v := onShelf(t, after(0))
		for _, step := range []struct {
			wait time.Duration
			host string
			want int
		}{
			{0, "example.com", 1}, {2 * time.Second, "example.com", 1}, {2 * time.Second, "example.com", 2},
			{0, "nowhere.com", 3}, {0, "nowhere.com", 3}, {0, "www.example.com", 4}, {4 * time.Second, "nowhere.com", 5},
		} {
			time.Sleep(step.wait) // of the bubble's own clock
			if _, err := v.For(t.Context(), "default", step.host); err != nil || c.count() != step.want {
				t.Errorf("after %s for %s the source was asked %d times, want %d: %v", step.wait, step.host, c.count(), step.want, err)
			}
		}
	})
}

func TestConcurrentLookupsAreOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		c, v := onShelf(t, func(context.Context) error { <-hold; return nil })
		var done sync.WaitGroup
		for range 10 {
			done.Go(func() {
				if set, err := v.For(t.Context(), "default", "example.com"); err != nil || set == nil {
					t.Errorf("there is %v, %v", set, err)
				}
			})
		}
		synctest.Wait()
		close(hold)
		done.Wait()
		if c.count() != 1 {
			t.Errorf("it was asked %d times", c.count())
		}
	})
}

func TestAFailureIsReturnedToAllWhoWaitAndNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		c, v := onShelf(t, func(context.Context) error { <-hold; return errors.New("broken: " + canary) })
		var done sync.WaitGroup
		for range 10 {
			done.Go(func() {
				if set, err := v.For(t.Context(), "default", "example.com"); set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable {
					t.Errorf("there is %v, %v", set, err)
				}
			})
		}
		synctest.Wait()
		close(hold)
		done.Wait()
		if c.count() != 1 {
			t.Errorf("it was asked %d times", c.count())
		}
		c.answer = after(0)
		finds(t, v, "example.com")
	})
}

func TestALookupContinuesWhenTheCallerThatAskedGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, v := onShelf(t, after(time.Second))
		first, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() {
			if _, err := v.For(first, "default", "example.com"); fault.CodeOf(err) != fault.CredentialsUnavailable {
				t.Errorf("who went away has %v", err)
			}
		})
		synctest.Wait()
		done.Go(func() {
			if set, err := v.For(t.Context(), "default", "example.com"); err != nil || set == nil {
				t.Errorf("who waited has %v, %v", set, err)
			}
		})
		synctest.Wait()
		cancel()
		done.Wait()
		if c.count() != 2 {
			t.Errorf("it was asked %d times", c.count())
		}
	})
}

func TestALookupEndsAfterFiveSecondsWithAnySource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, v := onShelf(t, after(3*time.Second)) // each of four
		began := time.Now()
		_, err := v.For(t.Context(), "default", "a.b.c.nowhere.com")
		if fault.CodeOf(err) != fault.CredentialsUnavailable || time.Since(began) != 5*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestCookiesThatExpiredAreLeftOut(t *testing.T) {
	v, err := source.Open(source.Options{Source: mapSource{
		"some.com": `{"domain":"some.com","cookies":[{"name":"a","value":"1","expires":1000},{"name":"b","value":"2"}]}`,
		"all.com":  `{"domain":"all.com","cookies":[{"name":"a","value":"` + canary + `","expires":1000}]}`,
	}, Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	set, err := v.For(t.Context(), "default", "some.com")
	if err != nil || len(set.Cookies) != 1 || set.Cookies[0].Name != "b" {
		t.Errorf("there is %+v, %v", set, err)
	}
	if got, _, err := v.Check(t.Context(), "default", "some.com"); err != nil || got.Expired != 1 {
		t.Errorf("checked %+v, %v", got, err)
	}
	if set, err := v.For(t.Context(), "default", "all.com"); set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable {
		t.Errorf("there is %+v, %v", set, err)
	}
	if all, err := v.List(t.Context(), "default"); err != nil || len(all) != 2 {
		t.Errorf("listed %+v, %v", all, err)
	}
}
