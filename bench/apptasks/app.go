// Package apptasks has an agent do what people wish for in web applications
// that others made: five tasks in each, with the calls that an agent makes of
// what it is shown, and the application's own data say whether the wish came
// true and nothing else did.
package apptasks

import (
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/installed"
	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

// App is a running application.
type App interface {
	http.Handler
	State() (string, error) // its data, a line for each thing
}

// Application is one that tasks are done in.
type Application struct {
	Name     string
	Host     string
	Software string
	Fast     bool     // whether it is part of every run: it needs nothing but Node and what the tests have anyway
	Needs    []string // programs and folders that Debian's packages bring
	Start    func(tb testing.TB, origin string) App
	SignIn   func(*Agent) // an operator's; nil where nobody signs in
	Tasks    []Task
}

// Task is a wish, how an agent fulfils it, and what the application's data are
// then.
type Task struct {
	Wish     string
	Do       func(*Agent)
	Asks     int      // questions that a person is asked, and should be
	Needless int      // questions that a person is asked, and should not be
	Changes  []string // patterns of the lines of data that come ("+ …") and go ("- …"), and no others
}

// starts gives a starter of package installed the type that is wanted here.
func starts(start func(testing.TB, string) *installed.App) func(testing.TB, string) App {
	return func(tb testing.TB, origin string) App { return start(tb, origin) }
}

// applications are all of them.
func applications() []Application {
	return []Application{
		django(), pocketBase(), tiddlyWiki(), excalidraw(), etherpad(), nodeRED(), verdaccio(),
		jupyter(), roundcube(), wordPress(), dokuWiki(), transmission(), syncthing(),
	}
}

// password is the one that every application is signed in to with.
const password = apps.Password
