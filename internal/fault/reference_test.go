package fault_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testdoc"
)

func TestReferencePageIsUpToDate(t *testing.T) {
	testdoc.File(t, "../../docs/reference/faults.md", fault.Reference())
}
