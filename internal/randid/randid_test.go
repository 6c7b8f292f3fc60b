package randid_test

import (
	"regexp"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/randid"
)

func TestIDsHaveTheirFormatAndAreUnique(t *testing.T) {
	for pattern, next := range map[string]func() string{
		`^s[0-9a-f]{16}$`:       func() string { return randid.New("s", 8) },
		`^[0-9a-f]{32}$`:        func() string { return randid.New("", 16) },
		`^gbx_op_[a-z2-7]{52}$`: func() string { return randid.Secret("gbx_op_") },
		`^[a-z2-7]{26}$`:        randid.Word,
		`^[0-9]{9}$`:            func() string { return randid.Digits(9) },
	} {
		shape, seen := regexp.MustCompile(pattern), map[string]bool{}
		for range 100 {
			id := next()
			if !shape.MatchString(id) || seen[id] {
				t.Errorf("%q: want %s, and no id twice", id, pattern)
			}
			seen[id] = true
		}
	}
}
