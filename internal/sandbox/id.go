package sandbox

import (
	"regexp"

	"github.com/gloveboxhq/glovebox/internal/randid"
)

// idBytes is 8, so that a container name stays under 63 characters with the
// scope hash and a prefix of up to 20 characters.
const idBytes = 8

var idPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)

// NewID returns a new box id: 16 hex digits.
func NewID() string {
	return randid.New("", idBytes)
}

// ValidID reports whether id has the format of a box id.
func ValidID(id string) bool { return idPattern.MatchString(id) }
