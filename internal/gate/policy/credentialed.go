package policy

import "github.com/gloveboxhq/glovebox/internal/action"

// withheld judges what nobody but operators has in a session that holds
// credentials: no rule, grant or answer gives it to others.
func withheld(caller action.Caller, verb *action.Verb, facts action.Facts) (v Verdict, refused bool) {
	if caller.Role == action.Operator || !facts.Session.Credentialed || !verb.Withheld() {
		return Verdict{}, false
	}
	return deny(action.WithheldRule, action.WithheldWhy, verb.Instead()), true
}
