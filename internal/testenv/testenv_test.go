package testenv_test

import (
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
)

func absent() error { return errors.New("not there") }

func TestMissingNeedsSkipATestOrFailIt(t *testing.T) {
	for all, want := range map[string]int{"": 0, "1": 1} {
		t.Setenv("GLOVEBOX_TEST_ALL", all)
		if status, missing := testenv.Missing(absent); !missing || status != want {
			t.Errorf("with %q: status %d, missing %t", all, status, missing)
		}
		if status, missing := testenv.Missing(testenv.Program("go")); missing || status != 0 {
			t.Errorf("with %q and all there: status %d, missing %t", all, status, missing)
		}
	}
	t.Setenv("GLOVEBOX_TEST_ALL", "")
	skipped := t.Run("skipped", func(t *testing.T) {
		testenv.Require(t, absent)
		t.Error("the test goes on although a need is not met")
	})
	if !skipped {
		t.Error("the test fails although it should be skipped")
	}
}

func TestTheErrorNamesTheMissingChromium(t *testing.T) {
	t.Setenv("GLOVEBOX_TEST_CHROMIUM", "/nonexistent/chromium")
	if err := testenv.Chromium(); err == nil || testenv.ChromiumPath() != "/nonexistent/chromium" {
		t.Errorf("%v at %s", err, testenv.ChromiumPath())
	}
}
