package source

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// environmentPrefix is the beginning of the name of each variable with a document.
const environmentPrefix = "GLOVEBOX_SECRET_"

// environment has the document of each path in a variable: GLOVEBOX_SECRET_ and the
// path in capitals, with _ for each character that is neither letter nor digit.
type environment struct{ variables []string }

// Environment makes a source of variables in the form of os.Environ.
func Environment(variables []string) Source {
	var documents []string
	for _, v := range variables {
		if strings.HasPrefix(v, environmentPrefix) {
			documents = append(documents, v)
		}
	}
	slices.Sort(documents)
	return environment{documents}
}

func (environment) Name() string { return "the environment" }

// Fetch returns the variable of a path. Two paths may have the same variable: the
// document in it says which domain it is for.
func (e environment) Fetch(_ context.Context, path string) (Document, error) {
	name := variable(path)
	for _, v := range e.variables {
		if text, is := strings.CutPrefix(v, name+"="); is {
			return Document{Text: []byte(text), Version: "1"}, nil // the environment of a process does not change
		}
	}
	return Document{}, nil
}

// List returns the paths below a prefix. The last element of each is the domain
// that the document names or, where that domain has another variable, the end of the
// variable's name.
func (e environment) List(_ context.Context, prefix string) ([]string, error) {
	var paths []string
	for _, v := range e.variables {
		name, text, _ := strings.Cut(v, "=")
		rest, below := strings.CutPrefix(name, variable(prefix))
		if !below {
			continue
		}
		var named struct {
			Domain string `json:"domain"`
		}
		_ = json.Unmarshal([]byte(text), &named)
		if variable(prefix+named.Domain) != name {
			named.Domain = strings.ToLower(rest)
		}
		paths = append(paths, prefix+named.Domain)
	}
	return paths, nil
}

func variable(path string) string {
	return environmentPrefix + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, path)
}

// checkScope refuses scopes whose variables could be those of another scope.
func (environment) checkScope(scope string) error {
	for _, r := range scope {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return fault.New(fault.CredentialsUnavailable, "the environment cannot keep credentials for this scope alone").
				Hinted("only scopes of small letters and digits can have their own there; use another security.credentials.vault_backend, or leave %s out of vault_path", scopePlaceholder)
		}
	}
	return nil
}
