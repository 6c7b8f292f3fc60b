package redact

import "github.com/gloveboxhq/glovebox/internal/credential"

// Secrets are the texts of a set that no output may have: values of cookies,
// storage, headers and logins, and the parts of them that open something by
// themselves.
func Secrets(set credential.Set) []credential.Secret {
	var all []credential.Secret
	for _, c := range set.Cookies {
		all = append(all, c.Value)
	}
	for _, values := range []map[string]credential.Secret{set.LocalStorage, set.SessionStorage, set.Headers, set.Login} {
		for _, v := range values {
			all = append(all, v)
		}
	}
	return all
}
