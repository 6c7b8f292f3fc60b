package auth_test

import (
	"fmt"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
)

// BenchmarkIdentify looks up the last token of a store: every token is compared.
func BenchmarkIdentify(b *testing.B) {
	for _, n := range []int{3, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var entries []auth.Entry
			for i := range n {
				entries = append(entries, auth.Entry{Name: fmt.Sprint(i), Role: action.Agent, Scope: "s", SHA256: hash(fmt.Sprint(i))})
			}
			tokenStore, err := auth.New(entries...)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := tokenStore.Identify(b.Context(), fmt.Sprint(n-1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
