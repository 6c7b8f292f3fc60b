package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

func TestAOneTimeCodeIsFreshAndTypedOnlyOnce(t *testing.T) {
	seed, err := credentials.ParseOneTime(credentials.Keep("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var o usedCodes
		begin := time.Now() // midnight, the start of a period
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
				t.Errorf("a code of %s was used twice", of)
			}
			seen[of+code.Reveal()] = true
		}
		take("ada", 0)
		take("bob", 0) // another account's
		take("ada", 30*time.Second)
		time.Sleep(57*time.Second - time.Since(begin)) // synthetic clock
		take("bob", 60*time.Second)                    // three seconds are not enough
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := o.next(ctx, "bob", seed); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that is too long: %v", err)
		}
	})
}
