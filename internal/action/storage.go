package action

import (
	"cmp"
	"net/http"
	"slices"
)

// The verbs of this file.
var (
	VerbProfileExport = Define[ByID, StorageState](Verb{Name: "profile.export", Class: Admin, Risk: High, Method: http.MethodGet, Path: "/browser/contexts/{id}/state", Command: "profile export", Summary: "Export what a profile is signed in with, in Playwright's storage state format"})
	VerbProfileImport = Define[ProfileImport, ProfileImported](Verb{Name: "profile.import", Class: Admin, Risk: High, Method: http.MethodPost, Path: "/browser/contexts/{id}/state", Body: MostStateFile/3*4 + 1<<20, Command: "profile import", Summary: "Import a login into a profile, from Playwright's storage state or a browser's cookies"})
)

// MostStateFile is the maximum size of a file with a login state, in bytes.
const MostStateFile = 16 << 20

// StorageState is the login state of a browser in the format of Playwright's
// storageState: cookies, and the localStorage of origins. It contains unmasked
// values and is given only to operators.
type StorageState struct {
	Cookies []Cookie      `json:"cookies"`
	Origins []OriginState `json:"origins"`

	Left []LeftOut `json:"left,omitempty"` // what the state lacks of the profile; Playwright ignores it
}

// OriginState is the localStorage of one origin.
type OriginState struct {
	Origin       string        `json:"origin"` // scheme://host[:port]
	LocalStorage []StorageItem `json:"localStorage"`
}

// StorageItem is an entry of localStorage.
type StorageItem struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// LeftOut says what an export or import omitted of a host, and why.
type LeftOut struct {
	Host         string `json:"host"`
	Why          string `json:"why"`
	Cookies      int    `json:"cookies,omitempty"`
	LocalStorage int    `json:"localStorage,omitempty"` // entries; 0 where the origin as a whole was left out
}

// LeaveOut adds more to all: one row for each host and reason, in order.
func LeaveOut(all []LeftOut, more LeftOut) []LeftOut {
	at, has := slices.BinarySearchFunc(all, more, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Why, b.Why))
	})
	if !has {
		return slices.Insert(all, at, more)
	}
	all[at].Cookies += more.Cookies
	all[at].LocalStorage += more.LocalStorage
	return all
}

// ProfileImport writes a login state into a profile.
type ProfileImport struct {
	ID     string   `json:"id" path:"id" minLength:"1" maxLength:"64" doc:"Id or name of the profile, which no session may be using" example:"work"`
	Format string   `json:"format,omitempty" enum:"auto,playwright,netscape,json" default:"auto" doc:"What the file is: Playwright's storageState, Netscape's cookies.txt, a JSON array of cookies as browser extensions write it, or auto to tell by its content"`
	Allow  []string `json:"allow,omitempty" maxItems:"100" doc:"Hosts to take, in place of those that are configured; as in session.start" example:"[\"app.example.com\"]"`
	File   []byte   `json:"file" doc:"The file, in base64"`
}

// ProfileImported says what was written into a profile: hosts and counts, never
// a value.
type ProfileImported struct {
	OK           bool      `json:"ok"`
	ID           string    `json:"id"`
	Format       string    `json:"format"` // playwright, netscape or json
	Cookies      int       `json:"cookies"`
	Origins      int       `json:"origins"`      // whose localStorage it has
	LocalStorage int       `json:"localStorage"` // entries
	Hosts        []string  `json:"hosts"`
	Left         []LeftOut `json:"left,omitempty"`
}

// Subject is the profile that the login is for.
func (a *ProfileImport) Subject() string { return profileSubject(a.ID) }
