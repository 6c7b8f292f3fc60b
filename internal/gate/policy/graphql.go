package policy

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// graphQL returns the GraphQL operation in fields: "mutation" if a document has one, "query" if the
// documents only read, "operation" if one is only named; empty for none. called has the words of
// the changes.
func graphQL(fields []action.BodyField) (op, called string) {
	for _, f := range fields {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		if name == "operationName" {
			called += " · " + split(f.Value)
			if op == "" {
				op = "operation"
			}
			continue
		}
		kind, names := graphDocument(f.Value)
		switch {
		case kind == "mutation", kind == "unreadable" && (name == "query" || name == ""):
			op = "mutation"
			called += " · " + names
		case kind == "query" && op != "mutation" && (name == "query" || name == ""):
			op = "query"
		}
	}
	if op == "operation" && !hasGraphField(fields) {
		return "", called
	}
	return op, called
}

// hasGraphField reports whether there are fields of a request for a stored document, besides the name
// of an operation.
func hasGraphField(fields []action.BodyField) bool {
	for _, f := range fields {
		first, _, _ := strings.Cut(strings.TrimLeft(f.Name, "0123456789."), ".")
		if first == "variables" || first == "extensions" || first == "id" || first == "documentId" || first == "doc_id" {
			return true
		}
	}
	return false
}

// speaksGraphQL reports whether an address is one for GraphQL by its name.
func speaksGraphQL(address string) bool {
	all := segmentsOf(address)
	if len(all) == 0 {
		return false
	}
	last := strings.ReplaceAll(all[len(all)-1], " ", "")
	return strings.Contains(last, "graphql") || last == "gql" || last == "query" || len(all) > 1 && strings.Contains(strings.ReplaceAll(all[len(all)-2], " ", ""), "graphql")
}

const maxGraphTokens = 20_000 // of a document; one with more is taken for a change

var (
	graphWord  = regexp.MustCompile(`[A-Za-z_]\w*|[{}()]`)
	graphStart = regexp.MustCompile(`^(\{|(query|mutation|subscription|fragment)\b)`)
	graphMore  = regexp.MustCompile(`\bmutation\b`)
)

// graphDocument returns the kind of a text that is a GraphQL document: "mutation" or "query";
// "unreadable" for one that only begins like a document, and empty for other texts; and the names
// at the first level of its mutations.
func graphDocument(text string) (kind, names string) {
	text = strings.TrimLeft(text, " \t\r\n,\ufeff")
	for strings.HasPrefix(text, "#") { // a comment before the document
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimLeft(text, " \t\r\n,\ufeff")
	}
	if !strings.Contains(text, "{") || !graphStart.MatchString(text) || json.Valid([]byte(text)) {
		return "", ""
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxGraphTokens)
	if err != nil {
		if at := graphMore.FindStringIndex(text); at != nil {
			return "mutation", graphNames(text[at[0]:])
		}
		return "unreadable", graphNames(text)
	}
	var changes []string
	for _, o := range document.Operations {
		if o.Operation == ast.Mutation {
			kind = "mutation"
			changes = append(changes, split(o.Name))
			changes = appendFields(changes, o.SelectionSet, document, 0)
		}
	}
	if kind == "" {
		return "query", ""
	}
	return kind, strings.Join(changes, " · ")
}

const (
	maxGraphFields    = 80 // whose names are read
	maxGraphFragments = 5  // within each other
)

// appendFields adds the names of the fields at the first level of an operation, with their
// aliases, also those of fragments, and those within fields without arguments.
func appendFields(names []string, all ast.SelectionSet, document *ast.QueryDocument, depth int) []string {
	for _, selected := range all {
		if len(names) >= maxGraphFields || depth > maxGraphFragments {
			break
		}
		switch s := selected.(type) {
		case *ast.Field:
			names = append(names, split(s.Name))
			if s.Alias != s.Name {
				names = append(names, split(s.Alias))
			}
			if len(s.Arguments) == 0 { // it may group the changes
				names = appendFields(names, s.SelectionSet, document, depth+1)
			}
		case *ast.InlineFragment:
			names = appendFields(names, s.SelectionSet, document, depth+1)
		case *ast.FragmentSpread:
			if fragment := document.Fragments.ForName(s.Name); fragment != nil {
				names = appendFields(names, fragment.SelectionSet, document, depth+1)
			}
		}
	}
	return names
}

// graphNames are the words of a document that cannot be read, outside of arguments, down to the
// first level of braces.
func graphNames(text string) string {
	var names []string
	braces, brackets := 0, 0
	for _, w := range graphWord.FindAllString(text, 400) {
		switch w {
		case "{":
			braces++
		case "}":
			braces--
		case "(":
			brackets++
		case ")":
			brackets--
		default:
			if brackets == 0 && braces <= 1 && w != "mutation" && len(names) < 80 {
				names = append(names, split(w))
			}
		}
	}
	return strings.Join(names, " · ")
}
