package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbCredentialCheck = Define[CredentialQuery, CredentialCheck](Verb{Name: "credential.check", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/credentials/check", Command: "vault check", Summary: "Say what a host would get from the vault: kinds and numbers, never a value"})
)

// CredentialQuery asks which credentials the vault has for a host.
type CredentialQuery struct {
	Domain string `json:"domain" minLength:"1" maxLength:"253" doc:"A host, as pages have it" example:"app.example.com"`
}

// CredentialCheck says which credentials the vault has for a host: kinds and
// counts, never a value.
type CredentialCheck struct {
	Host    string   `json:"host"`
	Source  string   `json:"source" doc:"Where credentials come from"`
	Looked  []string `json:"looked,omitempty" doc:"Paths that were looked at, in order"`
	Found   bool     `json:"found" doc:"Whether there are any"`
	Domain  string   `json:"domain,omitempty" doc:"Under which they were found: the host, or a parent of it"`
	Path    string   `json:"path,omitempty" doc:"Where they were found"`
	Version string   `json:"version,omitempty" doc:"Changes when they do"`

	Changed *time.Time `json:"changed,omitempty" doc:"When they did, where the source knows"`

	CredentialCounts
	Expired int      `json:"expired" doc:"Cookies that are left out because they have expired"`
	Origin  string   `json:"origin,omitempty" doc:"Which storage, headers and HTTP authentication are for"`
	Names   []string `json:"loginNames,omitempty" doc:"What page.fill_secret may type, by name"`
	Ask     bool     `json:"ask" doc:"A person is asked each time page.fill_secret uses them"`

	Required   bool `json:"required" doc:"A visit is refused when they cannot be put into the browser"`
	AutoInject bool `json:"autoInject" doc:"Sessions get them unasked; otherwise only where a call names the domain"`
}

// CredentialCounts is the number of credentials of each kind.
type CredentialCounts struct {
	Cookies        int `json:"cookies"`
	LocalStorage   int `json:"localStorage"`
	SessionStorage int `json:"sessionStorage"`
	Headers        int `json:"headers"`
	Login          int `json:"login"`
	HTTPAuth       int `json:"httpAuth" doc:"1 for a user name and password that answer HTTP authentication"`
}

// Recorded is the domain.
func (a *CredentialQuery) Recorded() string { return a.Domain }
