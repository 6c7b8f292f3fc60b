package action

import (
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// What the gate asks the arguments of a verb. Arguments implement the methods
// that apply to them, beside their type. The gate makes the returned texts fit
// to be shown.
type (
	// Leading arguments lead to an address; empty if they lead to none.
	Leading interface{ Destination() string }
	// Naming arguments say what the call is about, if that is neither an
	// element nor found on a page.
	Naming interface{ Subject() string }
	// Recording arguments have texts that are not secret: records and questions
	// show them.
	Recording interface{ Recorded() string }
	// Aiming arguments name the element on which their verb acts, and how long
	// to wait for it.
	Aiming interface{ Aim() (Locator, Timing) }
	// Pressing arguments press the element that they name.
	Pressing interface{ Presses() }
	// Typing arguments contain text for a field. It may be a secret.
	Typing interface{ TypedText() string }
)

func requireElement(field string, l Locator) error {
	if !l.Zero() {
		return nil
	}
	out := invalid(field, "is missing: no element was named").
		Hinted("give a ref from a snapshot, a selector, a role with a name, a text, or x and y")
	out.Code = fault.MissingSelector
	return out
}

// profileSubject returns the subject of calls with a profile, by the name that
// the caller used.
func profileSubject(key string) string {
	if key == "" {
		return ""
	}
	return "profile " + key
}
