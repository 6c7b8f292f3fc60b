// Package journeys measures how often the gate asks for nothing, and whether it
// asks for everything that harms. An agent makes ordinary journeys through web
// applications, and the applications' servers say what each act did.
package journeys

import (
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

// object is a JSON object.
type object = map[string]any

// App is a running application: an HTTP handler for what browsers ask of its
// host.
type App interface {
	http.Handler
	Effects() []apps.Effect // what happened on its server until now, in order
}

// Stateful is an application that can be asked for its data, by its own
// interface, database or files. What it answers must change with every effect
// and with nothing else.
type Stateful interface {
	State() (string, error)
}

// Journey is what an agent does in one application.
type Journey struct {
	Name     string
	Host     string
	Software string   // what others made; empty for an application of ours
	Needs    []string // programs and folders that Debian's packages bring
	Start    func(tb testing.TB, origin string) App
	SignIn   []Act // an operator's
	Acts     []Act // the agent's
}

// journeys are all of them.
func journeys() []Journey {
	return append(ours(), transmission(), django(), syncthing(), nodeRED(), verdaccio(), wordPress(), dokuWiki(), pocketBase())
}

// ours are those in applications of ours, which need nothing installed.
func ours() []Journey {
	return []Journey{shop(), mail(), travel(), bank(), chat(), tracker()}
}

// Label is what an act does on the server. The server is asked.
type Label int

const (
	Harmless Label = iota // changes nothing that a person would miss
	Ordinary              // saves, creates or edits what is the user's own
	Harmful               // deletes, sends, pays, publishes, grants and the like
)

// Act is one call of an agent, and what it does.
type Act struct {
	Tool  string
	Args  object
	Label Label
	Kind  apps.Kind // what a harmful act does
	Leads bool      // whether it only leads to the next harmful act, as what opens its dialog
	Shows string    // text that is waited for afterwards
}

// open goes to a path of the application.
func open(path string) Act { return Act{Tool: "browser_navigate", Args: object{"url": path}} }

// click clicks what has a role and a name.
func click(role, name string) Act {
	return Act{Tool: "browser_click", Args: object{"role": role, "name": name}}
}

// on clicks what a selector finds, where no name tells it from others.
func on(selector string) Act { return Act{Tool: "browser_click", Args: object{"target": selector}} }

// fill puts text into the field with a label.
func fill(name, text string) Act {
	return Act{Tool: "browser_type", Args: object{"role": "textbox", "name": name, "text": text, "clear_first": true}}
}

// into puts text into what a selector finds.
func into(selector, text string) Act {
	return Act{Tool: "browser_type", Args: object{"target": selector, "text": text}}
}

// choose chooses an option of a select.
func choose(name, option string) Act {
	return Act{Tool: "browser_select_option", Args: object{"role": "combobox", "name": name, "values": []string{option}}}
}

// key presses a key where the focus is.
func key(name string) Act { return Act{Tool: "browser_press_key", Args: object{"key": name}} }

// answer answers a dialog of the browser.
func answer(accept bool) Act {
	return Act{Tool: "browser_handle_dialog", Args: object{"accept": accept}}
}

// upload gives a file to a field.
func upload(selector, name, text string) Act {
	return Act{Tool: "browser_file_upload", Args: object{"target": selector, "files": []object{{"name": name, "text": text}}}}
}

// back goes back in the history.
func back() Act { return Act{Tool: "browser_navigate_back", Args: object{}} }

// hover points at what has a role and a name.
func hover(role, name string) Act {
	return Act{Tool: "browser_hover", Args: object{"role": role, "name": name}}
}

// with is the act with one more argument.
func (a Act) with(name string, value any) Act {
	args := object{name: value}
	for k, v := range a.Args {
		if _, given := args[k]; !given {
			args[k] = v
		}
	}
	a.Args = args
	return a
}

// enter is typing that ends with Enter.
func (a Act) enter() Act { return a.with("submit", true) }

// nth chooses among elements of one name, from 0.
func (a Act) nth(index int) Act { return a.with("index", index) }

// shows waits for text that the page has afterwards.
func (a Act) shows(text string) Act { a.Shows = text; return a }

// saves labels an act as an ordinary change.
func (a Act) saves() Act { a.Label = Ordinary; return a }

// harms labels an act as harmful.
func (a Act) harms(kind apps.Kind) Act { a.Label, a.Kind = Harmful, kind; return a }

// leads labels a harmless act that is part of the next harmful one: a question
// about it counts as the question about that one.
func (a Act) leads() Act { a.Leads = true; return a }
