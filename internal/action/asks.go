package action

import (
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// What the gate asks of a verb's arguments. Arguments have the methods that apply
// to them, beside their type; the gate makes what they return fit to be shown.
type (
	// Leading arguments lead to an address; empty for none.
	Leading interface{ Destination() string }
	// Naming arguments say what the call is about, where no page was looked at and it
	// is not the element that they aim at.
	Naming interface{ Subject() string }
	// Recording arguments have words of their own that are no secret: records and
	// questions show them.
	Recording interface{ Recorded() string }
	// Aiming arguments name the element that their verb acts on, and say how long to
	// wait for it.
	Aiming interface{ Aim() (Locator, Timing) }
	// Pressing arguments press the element that they name.
	Pressing interface{ Presses() }
	// Typing arguments hold text for a field. It may be a secret.
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

// profileSubject is saved user data as the caller names it.
func profileSubject(key string) string {
	if key == "" {
		return ""
	}
	return "profile " + key
}
