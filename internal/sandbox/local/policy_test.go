package local

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestAuthoritiesThatNoBrowserWouldFindAreRefused: an image of an earlier version
// has no link to where they are written.
func TestAuthoritiesThatNoBrowserWouldFindAreRefused(t *testing.T) {
	if err := policyFindable([]byte(`{}`)); fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("got %v", err)
	}
}
