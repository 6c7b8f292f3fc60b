package profile

import (
	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/agekey"
)

// KeyEnv is the environment variable that can hold the key, instead of the file.
const KeyEnv = "GLOVEBOX_PROFILE_KEY"

// KeyFile is the name of the key's file in the state directory.
const KeyFile = "profiles.key"

// Key returns the key that profiles are encrypted with: given, or the one in the
// state directory, which is created if it does not exist. Faults: as of
// agekey.Open.
func Key(given, dir string) (*age.X25519Identity, error) {
	return agekey.Open(agekey.Name{Env: KeyEnv, File: KeyFile}, given, dir)
}
