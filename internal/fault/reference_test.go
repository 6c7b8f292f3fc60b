package fault_test

import (
	"flag"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

var update = flag.Bool("update", false, "rewrite generated files")

func TestReferencePageIsUpToDate(t *testing.T) {
	const path = "../../docs/reference/faults.md"
	if *update {
		if err := os.WriteFile(path, []byte(fault.Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != fault.Reference() {
		t.Error("docs/reference/faults.md is out of date: run make gen")
	}
}
