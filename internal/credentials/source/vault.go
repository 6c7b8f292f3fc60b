// Package source has where credentials come from, and which of them a host gets.
// What it hands out was checked whole: a set that is not sound is a fault, and
// nothing of it leaves the room (docs/credentials.md).
package source

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	patience     = 5 * time.Second  // of one look-up, all its requests together
	writing      = 30 * time.Second // of keeping one document, with waiting for others who do
	mostDocument = 1 << 20          // bytes of one document
)

// DefaultPath is where documents lie in a source that was told nothing else.
const DefaultPath = "secrets/browser/"

// scoped stands for the caller's scope in a path.
const scoped = "{scope}"

var errNoSite = errors.New("no registrable domain")

// Source is a place that keeps documents under paths. It is safe for concurrent
// use. Faults: credentials_unavailable, which name no value.
type Source interface {
	// Fetch returns what is kept at a path, the zero Document where that is
	// nothing.
	Fetch(ctx context.Context, path string) (Document, error)
	// List returns the paths below a prefix that ends with a slash or is empty.
	List(ctx context.Context, prefix string) ([]string, error)
	// Name says in a few words what it is, for people.
	Name() string
}

// Document is what a source keeps at a path.
type Document struct {
	Text    []byte    // JSON; nil for nothing there
	Version string    // changes when the text does, and is not made of it
	Changed time.Time // zero where the source does not know
}

// Writable is a source that keeps what it is given.
type Writable interface {
	Source
	// Store puts a text in place of what there was at a path.
	Store(ctx context.Context, path string, text []byte) error
	// Drop removes what there is at a path, and reports whether that was
	// anything.
	Drop(ctx context.Context, path string) (bool, error)
}

// Options are what a Vault is made of.
type Options struct {
	Source Source // nil: there are no credentials
	Path   string // before the domain: "secrets/browser/"; {scope} in it stands for the caller's scope
}

// Vault finds the credentials of hosts. It is safe for concurrent use.
type Vault struct {
	source Source
	path   string
	recent recent
}

// Open makes a vault. Close it. Faults: invalid_request for a path that leads
// nowhere.
func Open(o Options) (*Vault, error) {
	path := strings.TrimPrefix(o.Path, "/")
	if path != "" && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		if path != "" && (part == "" || part == "." || part == "..") {
			return nil, fault.New(fault.InvalidRequest, "security.credentials.vault_path leads nowhere").
				Hinted("write names with single slashes between them, like %s", DefaultPath).With("field", "security.credentials.vault_path")
		}
	}
	return &Vault{source: o.Source, path: path}, nil
}

// Close ends what the source keeps up.
func (v *Vault) Close(ctx context.Context) error {
	if s, open := v.source.(interface{ Close(context.Context) error }); open {
		return s.Close(ctx)
	}
	return nil
}

// For returns the credentials that a document from a host gets in a scope, nil
// where there are none: those of the host, or else of the nearest of its
// parents down to its registrable domain. Cookies that have expired are left
// out. What it returns is shared: change nothing in it. Fault:
// credentials_unavailable, fit for agents: what is wrong with a document is in
// it, where the source is and how it failed only in its cause.
func (v *Vault) For(ctx context.Context, scope, host string) (*credentials.Set, error) {
	set, _, err := v.find(ctx, scope, host)
	if err == nil {
		return set, nil
	}
	return nil, told(host, fault.From(err))
}

// told is a fault as agents may know it.
func told(host string, f *fault.Fault) *fault.Fault {
	folded, _ := Fold(host)
	made := fault.New(fault.CredentialsUnavailable, "the credentials of %s cannot be had: their source fails", folded)
	if field, ofDocument := f.Details["field"]; ofDocument {
		made = fault.New(fault.CredentialsUnavailable, "%s", f.Message).With("field", field)
	}
	return made.Hinted("an operator sees why: glovebox vault check %s", folded).Because(f)
}

// find is For that says how many cookies were left out.
func (v *Vault) find(ctx context.Context, scope, host string) (*credentials.Set, int, error) {
	host, known := Fold(host)
	if !known || v.source == nil {
		return nil, 0, nil
	}
	folder, err := v.folder(scope)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, domain := range lookups(host) {
		set, err := v.recent.get(ctx, folder+domain, func(ctx context.Context) (*credentials.Set, error) {
			return v.fetch(ctx, folder+domain, domain)
		})
		if err != nil {
			return nil, 0, failing(v.source, err)
		}
		if set != nil {
			return current(set, time.Now())
		}
	}
	return nil, 0, nil
}

// fetch reads the document of one domain; nil where there is none.
func (v *Vault) fetch(ctx context.Context, path, domain string) (*credentials.Set, error) {
	found, err := v.source.Fetch(ctx, path)
	if err != nil || found.Text == nil {
		return nil, err
	}
	set, err := Parse(domain, found.Text)
	if err != nil {
		return nil, err
	}
	set.Path, set.Version, set.Changed = path, found.Version, found.Changed
	return &set, nil
}

// current is a set without the cookies that have expired. Fault:
// credentials_unavailable when it had cookies and all of them have.
func current(set *credentials.Set, now time.Time) (*credentials.Set, int, error) {
	var live []credentials.Cookie
	for _, c := range set.Cookies {
		if c.Expires == nil || c.Expires.After(now) {
			live = append(live, c)
		}
	}
	gone := len(set.Cookies) - len(live)
	if gone == 0 {
		return set, 0, nil
	}
	if len(live) == 0 {
		return nil, gone, fault.New(fault.CredentialsUnavailable, "every cookie of the credentials of %s has expired", set.Domain).
			Hinted("log in anew and keep what that gives: glovebox vault set %s", set.Domain).With("field", "cookies")
	}
	copied := *set
	copied.Cookies = live
	return &copied, gone, nil
}

// folder is where the documents of a scope lie. A scope that would lead
// elsewhere is escaped, and no two scopes are escaped to the same.
func (v *Vault) folder(scope string) (string, error) {
	if !strings.Contains(v.path, scoped) {
		return v.path, nil
	}
	name := url.PathEscape(scope)
	if name == "" || name == "." || name == ".." {
		return "", fault.New(fault.CredentialsUnavailable, "this scope can have no credentials of its own").
			Hinted("name the scope differently, or leave %s out of security.credentials.vault_path", scoped)
	}
	if s, some := v.source.(interface{ lossy(scope string) error }); some {
		if err := s.lossy(scope); err != nil {
			return "", err
		}
	}
	return strings.ReplaceAll(v.path, scoped, name), nil
}

// failing is an error of a source as a fault.
func failing(s Source, err error) error {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return err
	}
	problem := "cannot be asked"
	if errors.Is(err, context.DeadlineExceeded) {
		problem = "did not answer in time"
	}
	return fault.New(fault.CredentialsUnavailable, "%s %s", s.Name(), problem).
		Hinted("glovebox doctor says what is wrong with it").Because(err)
}
