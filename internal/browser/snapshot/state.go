package snapshot

import "github.com/gloveboxhq/glovebox/internal/browser/injected"

// stateOrder is the order in which text shows states.
var stateOrder = []string{
	"focused", "checked", "pressed", "selected", "expanded", "current", "popup",
	"disabled", "readonly", "required", "invalid", "busy", "modal", "multiline", "partial", "min", "max", "step", "format",
}

// states returns the states of an element as data: a boolean for a state with two
// values, otherwise a word.
func states(s *injected.States) map[string]any {
	if s == nil {
		return nil
	}
	all := map[string]any{}
	for name, word := range map[string]string{
		"checked": s.Checked, "pressed": s.Pressed, "selected": s.Selected,
		"expanded": s.Expanded, "current": s.Current, "popup": s.Popup,
		"min": s.Min, "max": s.Max, "step": s.Step, "format": s.Format,
	} {
		switch word {
		case "":
		case "true":
			all[name] = true
		case "false":
			all[name] = false
		default:
			all[name] = word
		}
	}
	for name, set := range map[string]bool{
		"disabled": s.Disabled, "required": s.Required, "invalid": s.Invalid, "readonly": s.ReadOnly,
		"focused": s.Focused, "busy": s.Busy, "modal": s.Modal, "multiline": s.Multiline, "partial": s.Partial,
	} {
		if set {
			all[name] = true
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// shown reports whether text shows a state; default values are omitted.
func shown(name string, value any) bool {
	return value != false || name == "expanded" || name == "pressed"
}
