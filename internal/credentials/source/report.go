package source

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Report says what is kept for a domain, and how much of it: never a value.
type Report struct {
	Domain  string    `json:"domain"` // which it is kept under
	Path    string    `json:"path"`   // in the source
	Source  string    `json:"source"`
	Version string    `json:"version,omitempty"`
	Changed time.Time `json:"changed,omitzero"` // zero where the source does not know

	Counts
	Expired int      `json:"expired"`          // cookies that are left out
	Origin  string   `json:"origin,omitempty"` // which storage, headers and HTTP authentication are for
	Names   []string `json:"loginNames,omitempty"`
	Ask     bool     `json:"ask"` // a person is asked each time page.fill_secret uses what is for logging in

	Required bool   `json:"required"`          // a visit is refused when the rest cannot be put into the browser
	Problem  string `json:"problem,omitempty"` // why it cannot be used; empty when it can
}

// Counts is how many there are of each kind.
type Counts struct {
	Cookies        int `json:"cookies"`
	LocalStorage   int `json:"localStorage"`
	SessionStorage int `json:"sessionStorage"`
	Headers        int `json:"headers"`
	Login          int `json:"login"`
	HTTPAuth       int `json:"httpAuth"` // 1 for a user name and password, else 0
}

// Source says where credentials come from.
func (v *Vault) Source() string {
	if v.source == nil {
		return "no vault"
	}
	return v.source.Name()
}

// Check reports what a document from a host would get in a scope, nil where
// that is nothing, and the paths that were looked at. It asks the source anew.
// Faults: credentials_unavailable.
func (v *Vault) Check(ctx context.Context, scope, host string) (report *Report, looked []string, err error) {
	folder, err := v.folder(scope)
	folded, known := Fold(host)
	if err != nil || !known || v.source == nil {
		return nil, nil, err
	}
	for _, domain := range lookups(folded) {
		v.recent.forget(folder + domain)
		looked = append(looked, folder+domain)
	}
	set, expired, err := v.find(ctx, scope, folded)
	if err != nil || set == nil {
		return nil, looked, err
	}
	looked = looked[:slices.Index(looked, set.Path)+1]
	return v.report(*set, expired), looked, nil
}

func (v *Vault) report(set credentials.Set, expired int) *Report {
	r := &Report{
		Domain: set.Domain, Path: set.Path, Source: v.source.Name(), Version: set.Version, Changed: set.Changed,
		Counts: Counts{
			Cookies: len(set.Cookies), LocalStorage: len(set.LocalStorage), SessionStorage: len(set.SessionStorage),
			Headers: len(set.Headers), Login: len(set.Login), HTTPAuth: min(len(set.HTTPAuth), 1),
		},
		Expired: expired, Names: slices.Sorted(maps.Keys(set.Login)), Ask: len(set.Login) > 0 && !set.FillUnasked, Required: set.Required,
	}
	if len(set.LocalStorage)+len(set.SessionStorage)+len(set.Headers)+len(set.HTTPAuth) > 0 {
		r.Origin = set.HomeOrigin()
	}
	return r
}

// List reports all that is kept for a scope, by domain. A document that is not
// sound is in it, with the reason. Faults: credentials_unavailable.
func (v *Vault) List(ctx context.Context, scope string) ([]Report, error) {
	folder, err := v.folder(scope)
	if err != nil || v.source == nil {
		return nil, err
	}
	paths, err := v.source.List(ctx, folder)
	if err != nil {
		return nil, failing(v.source, err)
	}
	reports := make([]Report, 0, len(paths))
	for _, path := range paths {
		if strings.Contains(strings.TrimPrefix(path, folder), "/") { // another scope's, or nobody's
			continue
		}
		r, err := v.listed(ctx, path, strings.TrimPrefix(path, folder))
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// listed reports what is kept at a path, as the one of a domain.
func (v *Vault) listed(ctx context.Context, path, domain string) (Report, error) {
	found := Report{Domain: domain, Path: path, Source: v.source.Name()}
	if folded, known := Fold(domain); !known || folded != domain {
		found.Problem = "it is kept under what is no domain"
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	document, err := v.source.Fetch(ctx, path)
	if err != nil {
		return Report{}, failing(v.source, err)
	}
	found.Version, found.Changed = document.Version, document.Changed
	set, err := Parse(domain, document.Text)
	if err != nil {
		found.Problem = fault.From(err).Message
		return found, nil
	}
	set.Path, set.Version, set.Changed = path, document.Version, document.Changed
	left, expired, err := current(&set, time.Now())
	if err != nil {
		found.Problem, found.Expired = fault.From(err).Message, expired
		return found, nil
	}
	return *v.report(*left, expired), nil
}
