package local

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Images of earlier versions lack the link to the policy file.
func TestPolicyWithoutALinkToItIsRefused(t *testing.T) {
	if err := checkPolicyLink([]byte(`{}`)); fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("got %v", err)
	}
}
