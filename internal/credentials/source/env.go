package source

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// environmentPrefix begins the name of every variable that holds a document.
const environmentPrefix = "GLOVEBOX_SECRET_"

// environment keeps the document of a path in a variable of its own:
// GLOVEBOX_SECRET_ and the path in capitals, with _ for all that is no letter
// and no digit.
type environment struct{ variables []string }

// Environment is a source of variables like those of os.Environ.
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

// Fetch returns the variable of a path. Two paths may have the same: what is in
// it says which domain it is for.
func (e environment) Fetch(_ context.Context, path string) (Document, error) {
	name := variable(path)
	for _, v := range e.variables {
		if text, is := strings.CutPrefix(v, name+"="); is {
			return Document{Text: []byte(text), Version: "1"}, nil // the environment of a process does not change
		}
	}
	return Document{}, nil
}

// List returns the paths below a prefix: with the domain that each document
// names or, where it names none that has this variable, what the variable is
// called.
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

// lossy refuses what a path of the environment cannot tell apart.
func (environment) lossy(scope string) error {
	for _, r := range scope {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return fault.New(fault.CredentialsUnavailable, "the environment cannot keep credentials for this scope alone").
				Hinted("only scopes of small letters and digits can have their own there; use another security.credentials.vault_backend, or leave %s out of vault_path", scoped)
		}
	}
	return nil
}
