package policy

import (
	"regexp"
	"strings"

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
		case kind == "mutation":
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

var (
	graphComment = regexp.MustCompile(`#[^\n\r]*`)
	graphWord    = regexp.MustCompile(`[A-Za-z_]\w*|[{}()]`)
	graphChange  = regexp.MustCompile(`\bmutation\b`)
)

// graphDocument returns the kind of a text that is a GraphQL document: "mutation" or "query", empty
// for other texts; and the names at the first level of its mutations.
func graphDocument(text string) (kind, names string) {
	if !strings.Contains(text, "{") {
		return "", ""
	}
	text = graphComment.ReplaceAllString(text, " ")
	text = strings.TrimLeft(text, " \t\r\n,\ufeff")
	if at := graphChange.FindStringIndex(text); at != nil && strings.Contains(text[at[1]:], "{") {
		return "mutation", graphNames(text[at[0]:])
	}
	for _, start := range []string{"{", "query", "subscription", "fragment"} {
		if strings.HasPrefix(text, start) {
			return "query", ""
		}
	}
	return "", ""
}

// graphNames are the words outside of arguments, down to the first level of braces.
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
