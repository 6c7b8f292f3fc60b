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

// Report describes the document of a domain, without any value.
type Report struct {
	Domain  string    `json:"domain"`
	Path    string    `json:"path"` // in the source
	Source  string    `json:"source"`
	Version string    `json:"version,omitempty"`
	Changed time.Time `json:"changed,omitzero"` // zero where the source does not know

	Counts
	Expired int      `json:"expired"`          // expired cookies, which are left out
	Origin  string   `json:"origin,omitempty"` // the origin that storage, headers and HTTP authentication are for
	Names   []string `json:"loginNames,omitempty"`
	Ask     bool     `json:"ask"` // a person is asked each time page.fill_secret types a login

	Required bool   `json:"required"`          // a navigation is refused when the credentials cannot be put into the browser
	Problem  string `json:"problem,omitempty"` // why it cannot be used; empty when it can
}

// Counts is the number of values of each kind.
type Counts struct {
	Cookies        int `json:"cookies"`
	LocalStorage   int `json:"localStorage"`
	SessionStorage int `json:"sessionStorage"`
	Headers        int `json:"headers"`
	Login          int `json:"login"`
	HTTPAuth       int `json:"httpAuth"` // 1 for a user name and password, else 0
}

// Source describes where credentials come from, for people.
func (v *Vault) Source() string {
	if v.source == nil {
		return "no vault"
	}
	return v.source.Name()
}

// Check reports the credentials that a host gets in a scope, nil where it gets none,
// and the paths that were looked up. It uses no kept answers. Faults:
// credentials_unavailable.
func (v *Vault) Check(ctx context.Context, scope, host string) (report *Report, looked []string, err error) {
	folder, err := v.folder(scope)
	folded, known := Fold(host)
	if err != nil || !known || v.source == nil {
		return nil, nil, err
	}
	for _, domain := range lookupDomains(folded) {
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

// List reports all documents of a scope, by domain. A document with a flaw is in it,
// with the reason. Faults: credentials_unavailable.
func (v *Vault) List(ctx context.Context, scope string) ([]Report, error) {
	folder, err := v.folder(scope)
	if err != nil || v.source == nil {
		return nil, err
	}
	paths, err := v.source.List(ctx, folder)
	if err != nil {
		return nil, sourceFault(v.source, err)
	}
	reports := make([]Report, 0, len(paths))
	for _, path := range paths {
		if strings.Contains(strings.TrimPrefix(path, folder), "/") { // another scope's, or no scope's
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

// listed reports the document at a path, which is of a domain.
func (v *Vault) listed(ctx context.Context, path, domain string) (Report, error) {
	found := Report{Domain: domain, Path: path, Source: v.source.Name()}
	if folded, known := Fold(domain); !known || folded != domain {
		found.Problem = "it is kept under what is no domain"
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	document, err := v.source.Fetch(ctx, path)
	if err != nil {
		return Report{}, sourceFault(v.source, err)
	}
	found.Version, found.Changed = document.Version, document.Changed
	set, err := Parse(domain, document.Text)
	if err != nil {
		found.Problem = fault.From(err).Message
		return found, nil
	}
	set.Path, set.Version, set.Changed = path, document.Version, document.Changed
	left, expired, err := withoutExpired(&set, time.Now())
	if err != nil {
		found.Problem, found.Expired = fault.From(err).Message, expired
		return found, nil
	}
	return *v.report(*left, expired), nil
}
