package agekey_test

import (
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/agekey"
)

// TestConcurrentOpensUseTheSameKey opens a key in a new state directory several
// times at once, as the gateway and a command do.
func TestConcurrentOpensUseTheSameKey(t *testing.T) {
	dir, name := t.TempDir(), agekey.Name{Env: "A_KEY", File: "some.key"}
	var all [16]string
	var done sync.WaitGroup
	for i := range all {
		done.Go(func() {
			k, err := agekey.Open(name, "", dir)
			if err != nil {
				t.Error(err)
				return
			}
			all[i] = k.String()
		})
	}
	done.Wait()
	for _, k := range all {
		if k != all[0] || k == "" {
			t.Fatal("two keys were made")
		}
	}
}
