package source

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Set checks a document and stores it for a domain in a scope, in place of the one
// before. The text is JSON or YAML; it may leave the domain out. Faults:
// invalid_request for an invalid domain or document, credentials_unavailable when the
// source fails.
func (v *Vault) Set(ctx context.Context, scope, domain string, text []byte) (*Report, error) {
	to, path, domain, err := v.writable(scope, domain)
	if err != nil {
		return nil, err
	}
	document, err := documentJSON(domain, text)
	if err != nil {
		return nil, err
	}
	if _, err := Parse(domain, document); err != nil {
		f := fault.From(err)
		return nil, fault.New(fault.InvalidRequest, "%s", f.Message).Hinted("docs/credentials.md has the schema; nothing was kept").With("field", f.Details["field"])
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if err := to.Store(ctx, path, document); err != nil {
		return nil, sourceFault(v.source, err)
	}
	v.recent.forget(path)
	report, err := v.listed(ctx, path, domain)
	return &report, err
}

// Put is Set for a credentials.Set, without its Path and Version.
func (v *Vault) Put(ctx context.Context, scope string, set credentials.Set) error {
	text, err := json.Marshal(documentOf(set))
	if err != nil {
		return fault.New(fault.InvalidRequest, "the credentials of %s cannot be written down", set.Domain) // the cause may contain them
	}
	_, err = v.Set(ctx, scope, set.Domain, text)
	return err
}

// Remove removes the document of a domain in a scope. Faults: not_found where there
// is none, else as Set.
func (v *Vault) Remove(ctx context.Context, scope, domain string) error {
	from, path, domain, err := v.writable(scope, domain)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	found, err := from.Drop(ctx, path)
	if err != nil {
		return sourceFault(v.source, err)
	}
	v.recent.forget(path)
	if !found {
		return fault.New(fault.NotFound, "nothing is kept for %s", domain).Hinted("glovebox vault list shows for which domains there is something")
	}
	return nil
}

// writable returns the source, if it can store documents, the path of a domain's
// document in it, and the domain in its canonical form.
func (v *Vault) writable(scope, domain string) (w Writable, path, folded string, err error) {
	folded, known := Fold(domain)
	if !known {
		return nil, "", "", fault.New(fault.InvalidRequest, "that is no domain").Hinted("write a host without scheme, port and path, like github.com").With("field", "domain")
	}
	folder, err := v.folder(scope)
	if err != nil {
		return nil, "", "", err
	}
	if w, can := v.source.(Writable); can {
		return w, folder + folded, folded, nil
	}
	return nil, "", "", fault.New(fault.InvalidRequest, "credentials come from %s: nothing can be kept there from here", v.Source()).
		Hinted("write there with its own tools, or set security.credentials.vault_backend to file or vault")
}

// documentJSON returns a document that is JSON or YAML as JSON, with its domain. No
// error contains any of it.
func documentJSON(domain string, text []byte) ([]byte, error) {
	if len(text) > maxDocument {
		return nil, fault.New(fault.InvalidRequest, "the document is longer than 1 MiB").Hinted("nothing was kept")
	}
	if !json.Valid(text) {
		text = yamlToJSON(text)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return nil, fault.New(fault.InvalidRequest, "the document is no object in JSON or YAML").
			Hinted("docs/credentials.md has the schema; nothing was kept")
	}
	if _, given := members["domain"]; given {
		return text, nil
	}
	// The domain is inserted into the text. To encode the members again would hide
	// flaws, such as a name that is given twice.
	begin := fmt.Sprintf(`{"domain":%q`, domain)
	if len(members) > 0 {
		begin += ","
	}
	return append([]byte(begin), text[bytes.IndexByte(text, '{')+1:]...), nil
}

// yamlToJSON returns nil for a text that is no YAML.
func yamlToJSON(text []byte) []byte {
	var tree any
	if yaml.Unmarshal(text, &tree) != nil {
		return nil
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil
	}
	return text
}

// documentOf is the document of a set.
func documentOf(set credentials.Set) document {
	d := document{
		Domain: set.Domain, Origin: set.Origin, Required: &set.Required,
		LocalStorage: revealed(set.LocalStorage), SessionStorage: revealed(set.SessionStorage), Headers: revealed(set.Headers), Login: revealed(set.Login),
		HTTPAuth: revealed(set.HTTPAuth),
	}
	if set.FillUnasked {
		d.Fill = "allow"
	}
	for _, c := range set.Cookies {
		value := c.Value.Reveal()
		written := cookie{Name: c.Name, Value: &value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite}
		if c.Expires != nil {
			at := float64(c.Expires.Unix())
			written.Expires = &at
		}
		d.Cookies = append(d.Cookies, written)
	}
	return d
}

func revealed(secrets map[string]credentials.Secret) map[string]string {
	values := make(map[string]string, len(secrets))
	for name, s := range secrets {
		values[name] = s.Reveal()
	}
	return values
}
