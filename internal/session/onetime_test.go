package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

func TestAOneTimeCodeLivesAWhileAndIsTypedOnce(t *testing.T) {
	seed, err := credentials.ParseOneTime(credentials.Keep("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var o usedCodes
		begin := time.Now() // midnight: a period begins
		seen := map[string]bool{}
		take := func(of string, want time.Duration) {
			t.Helper()
			code, err := o.next(t.Context(), of, seed)
			if err != nil {
				t.Fatal(err)
			}
			if at := time.Since(begin); at != want {
				t.Errorf("after %s, want %s", at, want)
			}
			if now, ends := seed.Code(time.Now()); code != now || time.Until(ends) <= minCodeLife {
				t.Errorf("the code does not live long enough")
			}
			if seen[of+code.Reveal()] {
				t.Errorf("a code of %s was given twice", of)
			}
			seen[of+code.Reveal()] = true
		}
		take("ada", 0)
		take("bob", 0) // another account's
		take("ada", 30*time.Second)
		time.Sleep(57*time.Second - time.Since(begin)) // the clock is the bubble's
		take("bob", 60*time.Second)                    // three seconds are too few
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := o.next(ctx, "bob", seed); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that is too long: %v", err)
		}
	})
}
