package rest

import (
	"reflect"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// faults are the faults that a kind of operation can answer with: all except
// those in not.
type faults struct {
	name string // suffix of Refused and Failed in the names of the responses
	not  []fault.Code
}

var (
	// ofElements are the faults that only verbs with an element can have.
	ofElements = []fault.Code{fault.InvalidSelector, fault.MissingSelector, fault.StaleRef, fault.PageChanged, fault.NotActionable}
	// ofSessions are the faults that only verbs that need or start a session
	// can have.
	ofSessions = []fault.Code{
		fault.NotActive, fault.SessionPaused, fault.ProviderNotSupported, fault.InvalidProvider, fault.StartFailed, fault.SandboxWeak,
		fault.InstallRequired, fault.SandboxRuntimeRequired, fault.NavigationFailed, fault.InvalidURL, fault.MissingURL, fault.BlockedDomain,
		fault.PageCrashed, fault.DialogOpen, fault.CDPError,
	}

	anyFault     = faults{"", nil}
	sessionFault = faults{"InSession", ofElements}
	plainFault   = faults{"Outside", slices.Concat(ofElements, ofSessions)}
)

// faultsOf returns the kind of a verb's operations. Verbs of pages, and verbs
// that consist of such calls, can have any fault.
func faultsOf(v *action.Verb) faults {
	if v == nil {
		return anyFault
	}
	switch tagOf(v) {
	case "events", "audit", "token", "capability":
		return plainFault
	case "session", "browser", "profile", "credential", "download", "tab", "approval", "grant", "artifact":
		return sessionFault
	}
	return anyFault
}

// problems adds the responses of each kind: a problem document whose code is
// from a closed list.
func (d *document) problems() {
	base := d.types.Type(reflect.TypeFor[problem]())
	d.resolve(base)["properties"].(action.Schema)["code"].(action.Schema)["enum"] = names(fault.Codes())
	for _, kind := range []faults{anyFault, sessionFault, plainFault} {
		for _, side := range []struct {
			name, about string
			has         func(status int) bool
			example     problem
		}{
			{"Refused", "A fault of the call (RFC 9457); `code` says which", func(status int) bool { return status < 500 }, refusedExample},
			{"Failed", "A fault of the gateway, the box or the web (RFC 9457); `code` says which", func(status int) bool { return status >= 500 }, failedExample},
		} {
			codes := slices.DeleteFunc(fault.Codes(), func(c fault.Code) bool {
				return !side.has(c.Info().Status) || slices.Contains(kind.not, c)
			})
			slices.Sort(codes) // the description is the same each time
			example := side.example
			if !slices.Contains(codes, example.Code) {
				example = problemOf(fault.New(codes[0], "%s", codes[0].Info().Title))
			}
			ofSide := action.Schema{"type": "object", "properties": action.Schema{"code": action.Schema{"type": "string", "enum": names(codes)}}}
			d.Components.Responses[side.name+kind.name] = &response{
				Description: side.about, Content: map[string]*mediaType{"application/problem+json": {Schema: action.Schema{"allOf": []any{base, ofSide}}, Example: example}},
			}
		}
	}
}

func names(codes []fault.Code) []string {
	slices.Sort(codes)
	all := make([]string, len(codes))
	for i, c := range codes {
		all[i] = string(c)
	}
	return all
}
