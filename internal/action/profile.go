package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbProfileList   = Define[None, ProfileListing](Verb{Name: "profile.list", Class: Raw, Risk: High, Method: http.MethodGet, Path: "/browser/contexts", Command: "profile list", Summary: "List the scope's profiles: saved user data of browsers"})
	VerbProfileCreate = Define[ProfileCreate, Profile](Verb{Name: "profile.create", Class: Raw, Risk: High, Method: http.MethodPost, Path: "/browser/contexts", Status: http.StatusCreated, Command: "profile create", Summary: "Create an empty profile, for sessions to use"})
	VerbProfileDelete = Define[ByID, ProfileDeleted](Verb{Name: "profile.delete", Class: Raw, Risk: High, Method: http.MethodDelete, Path: "/browser/contexts/{id}", Command: "profile delete", Summary: "Delete a profile, by id or name, and all that was saved in it"})
)

// ProfileCreate asks for a profile.
type ProfileCreate struct {
	Name string `json:"name" minLength:"1" maxLength:"64" doc:"A name to use it by, unique in the scope" example:"work"`

	KeepCredentials bool `json:"keep_credentials,omitempty" doc:"Save stored credentials that sessions with it got, too; without it they are taken out first"`
}

// Profile is saved user data of browsers: cookies, storage, databases. The API
// calls it a context.
type Profile struct {
	ID      string     `json:"id"` // 32 hex digits
	Name    string     `json:"name"`
	Created time.Time  `json:"createdAt"`
	Saved   *time.Time `json:"savedAt,omitempty"` // when a session last ended with it
	Size    int64      `json:"sizeBytes"`         // on disk, encrypted; 0 until then
	Session string     `json:"session,omitempty"` // id of the session that uses it now

	KeepCredentials bool `json:"keepCredentials,omitempty"` // what sessions got from the vault is saved in it

	Credentialed []string `json:"credentialed,omitempty"` // domains whose credentials it may hold

	Imported []string `json:"imported,omitempty"` // hosts whose login was imported from a file
}

// ProfileListing is a list of profiles, by name.
type ProfileListing struct {
	Contexts []Profile `json:"contexts"`
}

// ProfileDeleted says that a profile was deleted completely.
type ProfileDeleted struct {
	OK bool   `json:"ok"`
	ID string `json:"id"`
}

// OpensProfile reports whether the session uses saved user data.
func (s *BrowserStart) OpensProfile() bool { return s.Context != "" }

// Subject is the new profile.
func (a *ProfileCreate) Subject() string { return profileSubject(a.Name) }
