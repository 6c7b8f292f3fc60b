package auth_test

import (
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// TestKeepRestoresTheSynchronousPragma creates a token, which is flushed to disk,
// and then finds the shared writing connection with the pragma that it had
// before.
func TestKeepRestoresTheSynchronousPragma(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, before := range []string{"1", "2"} { // NORMAL, FULL
		if _, err := db.Writer.Exec(`PRAGMA synchronous = ` + before); err != nil {
			t.Fatal(err)
		}
		tokenStore := &auth.TokenStore{}
		if err := tokenStore.Keep(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		create(t, tokenStore, ann, action.TokenCreate{Name: "ci", Role: action.Agent})
		if _, err := tokenStore.Revoke(t.Context(), ann, action.TokenRevoke{ID: "ci"}); err != nil {
			t.Fatal(err)
		}
		var after string
		if err := db.Writer.QueryRow(`PRAGMA synchronous`).Scan(&after); err != nil || after != before {
			t.Errorf("it was %s and is %s, %v", before, after, err)
		}
		if err := tokenStore.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
