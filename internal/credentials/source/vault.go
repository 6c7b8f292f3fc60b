// Package source reads credentials from where they are kept, and finds those of a
// host. It checks each document as a whole: of a document with a flaw it returns
// nothing but a fault (docs/credentials.md).
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
	lookupTimeout = 5 * time.Second  // for all requests of one look-up together
	writeTimeout  = 30 * time.Second // for storing one document, including the wait for other writers
	maxDocument   = 1 << 20          // bytes
)

// DefaultPath is the default of security.credentials.vault_path.
const DefaultPath = "secrets/browser/"

// scopePlaceholder in a path is replaced by the caller's scope.
const scopePlaceholder = "{scope}"

var errNoSite = errors.New("no registrable domain")

// Source keeps documents under paths. It is safe for concurrent use. Faults:
// credentials_unavailable, without any value.
type Source interface {
	// Fetch returns the document at a path, the zero Document where there is
	// none.
	Fetch(ctx context.Context, path string) (Document, error)
	// List returns the paths below a prefix that ends with a slash or is empty.
	List(ctx context.Context, prefix string) ([]string, error)
	// Name describes the source to people, in a few words.
	Name() string
}

// Document is what a source keeps at a path.
type Document struct {
	Text    []byte    // JSON; nil: there is no document
	Version string    // changes when the text changes; not derived from it
	Changed time.Time // zero where the source does not know
}

// Writable is a source that can also store documents.
type Writable interface {
	Source
	// Store replaces the document at a path.
	Store(ctx context.Context, path string, text []byte) error
	// Drop removes the document at a path, and reports whether there was one.
	Drop(ctx context.Context, path string) (bool, error)
}

// Options are for Open.
type Options struct {
	Source Source // nil: there are no credentials
	Path   string // before the domain: "secrets/browser/"; {scope} in it is replaced by the caller's scope
}

// Vault finds the credentials of hosts. It is safe for concurrent use.
type Vault struct {
	source Source
	path   string
	recent answerCache
}

// Open makes a vault. Close it. Faults: invalid_request for a path with empty
// names, "." or "..".
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

// Close closes the source.
func (v *Vault) Close(ctx context.Context) error {
	if s, open := v.source.(interface{ Close(context.Context) error }); open {
		return s.Close(ctx)
	}
	return nil
}

// For returns the credentials of a host in a scope, nil where there are none:
// those of the host itself, or of its nearest parent domain, up to the registrable
// domain. Expired cookies are left out. The result is shared: do not change it.
// Fault: credentials_unavailable, which agents may see: it says what is wrong with a
// document; where the source is and how it failed is only in its cause.
func (v *Vault) For(ctx context.Context, scope, host string) (*credentials.Set, error) {
	set, _, err := v.find(ctx, scope, host)
	if err == nil {
		return set, nil
	}
	return nil, agentFault(host, fault.From(err))
}

// agentFault is a fault with what agents may know of it.
func agentFault(host string, f *fault.Fault) *fault.Fault {
	folded, _ := Fold(host)
	made := fault.New(fault.CredentialsUnavailable, "the credentials of %s cannot be had: their source fails", folded)
	if field, ofDocument := f.Details["field"]; ofDocument {
		made = fault.New(fault.CredentialsUnavailable, "%s", f.Message).With("field", field)
	}
	return made.Hinted("an operator sees why: glovebox vault check %s", folded).Because(f)
}

// find is For that also returns how many expired cookies were left out.
func (v *Vault) find(ctx context.Context, scope, host string) (*credentials.Set, int, error) {
	host, known := Fold(host)
	if !known || v.source == nil {
		return nil, 0, nil
	}
	folder, err := v.folder(scope)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	for _, domain := range lookupDomains(host) {
		set, err := v.recent.get(ctx, folder+domain, func(ctx context.Context) (*credentials.Set, error) {
			return v.fetch(ctx, folder+domain, domain)
		})
		if err != nil {
			return nil, 0, sourceFault(v.source, err)
		}
		if set != nil {
			return withoutExpired(set, time.Now())
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

// withoutExpired is a set without its expired cookies, and how many they were.
// Fault: credentials_unavailable where all of the set's cookies have expired.
func withoutExpired(set *credentials.Set, now time.Time) (*credentials.Set, int, error) {
	var live []credentials.Cookie
	for _, c := range set.Cookies {
		if c.Expires == nil || c.Expires.After(now) {
			live = append(live, c)
		}
	}
	expired := len(set.Cookies) - len(live)
	if expired == 0 {
		return set, 0, nil
	}
	if len(live) == 0 {
		return nil, expired, fault.New(fault.CredentialsUnavailable, "every cookie of the credentials of %s has expired", set.Domain).
			Hinted("log in anew and keep what that gives: glovebox vault set %s", set.Domain).With("field", "cookies")
	}
	copied := *set
	copied.Cookies = live
	return &copied, expired, nil
}

// folder is the path of the documents of a scope. The scope's name is escaped, so
// that it is one path element, and no two scopes have the same folder.
func (v *Vault) folder(scope string) (string, error) {
	if !strings.Contains(v.path, scopePlaceholder) {
		return v.path, nil
	}
	name := url.PathEscape(scope)
	if name == "" || name == "." || name == ".." {
		return "", fault.New(fault.CredentialsUnavailable, "this scope can have no credentials of its own").
			Hinted("name the scope differently, or leave %s out of security.credentials.vault_path", scopePlaceholder)
	}
	if s, checks := v.source.(interface{ checkScope(scope string) error }); checks {
		if err := s.checkScope(scope); err != nil {
			return "", err
		}
	}
	return strings.ReplaceAll(v.path, scopePlaceholder, name), nil
}

// sourceFault is the fault for an error of a source. A fault is returned as it is.
func sourceFault(s Source, err error) error {
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
