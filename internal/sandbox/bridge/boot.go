package bridge

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Boot holds the settings that a driver passes to the guest of a new box. None
// is secret: every process in a box can read the environment of its first one.
type Boot struct {
	Box             string        // box id
	ScopeHash       string        // empty for a warm box
	Session         string        // empty for a warm box
	PublicKey       string        // Key.Public of the gateway
	Lease           time.Duration // the guest exits when no gateway has answered for this long
	RestartAttempts int           // how often the guest restarts a browser that crashed
	Width           int           // of the display, in pixels
	Height          int           // of the display, in pixels
	DPI             int           // of the display
	Headless        bool          // no display
	Profile         bool          // the gateway sends a profile before the browser starts, and requests it at the end
}

// BootFor returns the settings of the guest of a box.
func BootFor(spec sandbox.Spec, key *Key, lease time.Duration, restartAttempts int) Boot {
	return Boot{
		Box: spec.ID, ScopeHash: sandbox.ScopeHash(spec.Scope), Session: spec.Session,
		PublicKey: key.Public(), Lease: lease, RestartAttempts: restartAttempts,
		Width: spec.Width, Height: spec.Height, DPI: spec.DPI, Headless: spec.Headless, Profile: spec.Profile != nil,
	}
}

const envPrefix = "GLOVEBOX_GUEST_"

// Limits of the settings that a guest accepts.
const (
	maxLease    = time.Hour
	maxRestarts = 100
	maxPixels   = 8192 // per side; Xvfb needs 4 bytes for each pixel
	maxDPI      = 960
)

// Environ returns b as environment variables for BootFrom.
func (b Boot) Environ() []string {
	return []string{
		envPrefix + "BOX=" + b.Box,
		envPrefix + "SCOPE=" + b.ScopeHash,
		envPrefix + "SESSION=" + b.Session,
		envPrefix + "PUBLIC_KEY=" + b.PublicKey,
		envPrefix + "LEASE=" + b.Lease.String(),
		envPrefix + "RESTARTS=" + strconv.Itoa(b.RestartAttempts),
		envPrefix + "DISPLAY=" + fmt.Sprintf("%dx%dx%d", b.Width, b.Height, b.DPI),
		envPrefix + "HEADLESS=" + strconv.FormatBool(b.Headless),
		envPrefix + "PROFILE=" + strconv.FormatBool(b.Profile),
	}
}

// BootFrom reads the variables that Environ wrote. Faults: invalid_request,
// which names the variable.
func BootFrom(getenv func(string) string) (Boot, error) {
	b := Boot{
		Box:       getenv(envPrefix + "BOX"),
		ScopeHash: getenv(envPrefix + "SCOPE"),
		Session:   getenv(envPrefix + "SESSION"),
		PublicKey: getenv(envPrefix + "PUBLIC_KEY"),
	}
	var err error
	if b.Lease, err = time.ParseDuration(getenv(envPrefix + "LEASE")); err != nil {
		return Boot{}, invalidBoot("LEASE", "a duration like 30s")
	}
	if b.RestartAttempts, err = strconv.Atoi(getenv(envPrefix + "RESTARTS")); err != nil {
		return Boot{}, invalidBoot("RESTARTS", "a number")
	}
	if b.Headless, err = strconv.ParseBool(getenv(envPrefix + "HEADLESS")); err != nil {
		return Boot{}, invalidBoot("HEADLESS", "true or false")
	}
	if b.Profile, err = strconv.ParseBool(getenv(envPrefix + "PROFILE")); err != nil {
		return Boot{}, invalidBoot("PROFILE", "true or false")
	}
	sides := strings.Split(getenv(envPrefix+"DISPLAY"), "x")
	if len(sides) != 3 {
		return Boot{}, invalidBoot("DISPLAY", "WIDTHxHEIGHTxDPI")
	}
	for i, side := range []*int{&b.Width, &b.Height, &b.DPI} {
		if *side, err = strconv.Atoi(sides[i]); err != nil {
			return Boot{}, invalidBoot("DISPLAY", "WIDTHxHEIGHTxDPI")
		}
	}
	return b, b.Check()
}

// Check returns the first error in b as a fault.
func (b Boot) Check() error {
	switch {
	case !sandbox.ValidID(b.Box):
		return invalidBoot("BOX", "16 hex digits")
	case !scopePattern.MatchString(b.ScopeHash):
		return invalidBoot("SCOPE", "empty or 16 hex digits")
	case !sessionPattern.MatchString(b.Session):
		return invalidBoot("SESSION", "at most 64 letters, digits, _ and -")
	case b.Lease <= 0 || b.Lease > maxLease:
		return invalidBoot("LEASE", "more than 0s and at most 1h")
	case b.RestartAttempts < 0 || b.RestartAttempts > maxRestarts:
		return invalidBoot("RESTARTS", "0 to 100")
	case b.Width < 1 || b.Width > maxPixels || b.Height < 1 || b.Height > maxPixels:
		return invalidBoot("DISPLAY", "sides of 1 to 8192 pixels")
	case b.DPI < 1 || b.DPI > maxDPI:
		return invalidBoot("DISPLAY", "1 to 960 dots per inch")
	}
	_, err := parsePublicKey(b.PublicKey)
	return err
}

func invalidBoot(name, want string) error {
	return fault.New(fault.InvalidRequest, "%s%s is not %s", envPrefix, name, want).
		Hinted("a guest is started by a sandbox driver, which sets it")
}
