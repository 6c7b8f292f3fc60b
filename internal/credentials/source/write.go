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

// Set keeps a document for a domain in a scope, in place of what there was. It
// is checked first. The text is JSON or YAML; it may leave the domain out.
// Faults: invalid_request for a domain or a document that is none,
// credentials_unavailable when the source does not keep it.
func (v *Vault) Set(ctx context.Context, scope, domain string, text []byte) (*Report, error) {
	to, path, domain, err := v.writable(scope, domain)
	if err != nil {
		return nil, err
	}
	document, err := compose(domain, text)
	if err != nil {
		return nil, err
	}
	if _, err := Parse(domain, document); err != nil {
		f := fault.From(err)
		return nil, fault.New(fault.InvalidRequest, "%s", f.Message).Hinted("docs/credentials.md has the schema; nothing was kept").With("field", f.Details["field"])
	}
	ctx, cancel := context.WithTimeout(ctx, writing)
	defer cancel()
	if err := to.Store(ctx, path, document); err != nil {
		return nil, failing(v.source, err)
	}
	v.recent.forget(path)
	report, err := v.listed(ctx, path, domain)
	return &report, err
}

// Put is Set for a set, whose Path and Version are not looked at.
func (v *Vault) Put(ctx context.Context, scope string, set credentials.Set) error {
	text, err := json.Marshal(documentOf(set))
	if err != nil {
		return fault.New(fault.InvalidRequest, "the credentials of %s cannot be written down", set.Domain) // the cause may repeat them
	}
	_, err = v.Set(ctx, scope, set.Domain, text)
	return err
}

// Remove removes what is kept for a domain in a scope. Faults: not_found where
// that is nothing, else as Set.
func (v *Vault) Remove(ctx context.Context, scope, domain string) error {
	from, path, domain, err := v.writable(scope, domain)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writing)
	defer cancel()
	found, err := from.Drop(ctx, path)
	if err != nil {
		return failing(v.source, err)
	}
	v.recent.forget(path)
	if !found {
		return fault.New(fault.NotFound, "nothing is kept for %s", domain).Hinted("glovebox vault list shows for which domains there is something")
	}
	return nil
}

// writable is where a domain's document is kept, if the source keeps any.
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

// compose makes JSON of a document in JSON or YAML, with its domain. No error
// repeats what is in it.
func compose(domain string, text []byte) ([]byte, error) {
	if len(text) > mostDocument {
		return nil, fault.New(fault.InvalidRequest, "the document is longer than 1 MiB").Hinted("nothing was kept")
	}
	if !json.Valid(text) {
		text = fromYAML(text)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return nil, fault.New(fault.InvalidRequest, "the document is no object in JSON or YAML").
			Hinted("docs/credentials.md has the schema; nothing was kept")
	}
	if _, said := members["domain"]; said {
		return text, nil
	}
	// Put beside what there is: to write that anew would hide what is wrong with
	// it, a name given twice for instance.
	begin := fmt.Sprintf(`{"domain":%q`, domain)
	if len(members) > 0 {
		begin += ","
	}
	return append([]byte(begin), text[bytes.IndexByte(text, '{')+1:]...), nil
}

// fromYAML is the JSON of a document in YAML, nothing where it is none.
func fromYAML(text []byte) []byte {
	var tree any
	if yaml.Unmarshal(text, &tree) != nil {
		return nil
	}
	made, err := json.Marshal(tree)
	if err != nil {
		return nil
	}
	return made
}

// documentOf is a set as a source keeps it.
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
