package fault_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

func TestReferencePageIsUpToDate(t *testing.T) {
	golden.File(t, "../../docs/reference/faults.md", fault.Reference())
}
