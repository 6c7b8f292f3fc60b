package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const anyHarm = destroys | pays | sends | grants | ends

// orderNames are names of fields that may name an operation, and also much else. Their values count
// where they are a word or an identifier that orders harm.
var orderNames = namesOf(`fn call procedure rpc handler todo what request perform choice choose option path topic target tool tool_name function_name
	documentid doc_name queryname fb_api_req_friendly_name methodname`)

// runners are names in addresses that run what is sent to them, codeNames names of fields for it.
var (
	runners   = namesOf(`exec execute eval evaluate shell terminal console repl rce run script command commands`)
	codeNames = namesOf(`code script cmd command source program expression statement input line text`)
)

// judgeCode raises the risk of a request that has a program run which names a deletion or a payment.
func judgeCode(j *judgement, r action.Request) (found kinds) {
	if !slices.ContainsFunc(segmentsOf(r.URL), func(s string) bool { return runners[s] }) {
		return 0
	}
	for _, f := range r.Fields {
		if f.Name == "" || codeNames[strings.ToLower(fieldName(f.Name))] {
			found |= kindsOf(operationWords(f.Value)) & (destroys | pays)
		}
	}
	if found != 0 {
		j.raise(action.High, "effect.runs", "it runs code or a command that deletes or pays something")
	}
	return found
}

// typeNames are names of fields for the type of a message.
var typeNames = namesOf(`@type __typename`)

// componentNames are names of fields for the control that was pressed, by its path.
var componentNames = namesOf(`changedpropids triggered`)

// commandParts are words of names of fields for an action: form_action, opType.
var commandParts = namesOf(`action subaction operation op command cmd verb method`)

// besideMethod are the words that a name of a field for a method has beside it. A payment method or
// a contact method is another thing.
var besideMethod = namesOf(`http request override name c0 c1 rpc`)

// orderFolders are ends of addresses whose requests name an operation by their type.
var orderFolders = namesOf(`action actions command commands operation operations`)

// identifier matches a word or the name of an operation: item.delete, delete_item.
var identifier = regexp.MustCompile(`^[\p{L}_][\p{L}\d_.:]*$`)

// eventHarm are the kinds of harm for which the value of a field for a type counts: all where an
// address or an object around it is for actions, as in {"action": {"type": "send"}}.
func eventHarm(f action.BodyField, address string) kinds {
	segments, parts := segmentsOf(address), nameParts(f.Name)
	switch {
	case len(segments) > 0 && orderFolders[segments[len(segments)-1]], len(parts) > 1 && commandNames[strings.ToLower(parts[len(parts)-2])]:
		return anyHarm
	case eventNames[strings.ToLower(fieldName(f.Name))]:
		return destroys
	}
	return 0
}

// namesCommand reports whether the name of a field says, by several words, that it names an action.
func namesCommand(name string) bool {
	t := tokens(strings.ReplaceAll(split(name), "_", " "))
	if len(t) > 3 || !slices.ContainsFunc(t, func(w string) bool { return commandParts[w] }) {
		return false
	}
	if slices.Contains(t, "method") {
		return !slices.ContainsFunc(t, func(w string) bool { return w != "method" && !besideMethod[w] })
	}
	return commandParts[t[0]] || commandParts[t[len(t)-1]]
}

// orderedBy are the orders that a field gives by its value, and those that its name gives by the
// objects around it: {"delete": {"id": 5}}.
func orderedBy(f action.BodyField, all []action.BodyField) (said []string) {
	name := fieldName(f.Name)
	lower := strings.ToLower(name)
	calls := lower == "name" && slices.ContainsFunc(all, func(o action.BodyField) bool { return slices.Contains(nameParts(o.Name), "arguments") })
	switch {
	case f.Name == "":
		said = append(said, textOrders(f.Value)...)
	case commandNames[lower]:
	case action.IsOrderHeader(f.Name):
		said = append(said, orderOf(operationWords(f.Value[strings.LastIndexAny(f.Value, ".#:/")+1:]), anyHarm), orderOf(controlWords(f.Value), anyHarm))
	case typeNames[lower]:
		said = append(said, orderOf(operationWords(f.Value[strings.LastIndexByte(f.Value, '/')+1:]), destroys))
	case componentNames[lower], strings.HasPrefix(f.Name, "wicket:"):
		said = append(said, ordersOfComponents(f.Value)...)
	case namesCommand(name), calls, orderNames[lower]:
		if identifier.MatchString(f.Value) {
			said = append(said, orderOf(operationWords(f.Value), anyHarm))
		}
	}
	if f.Name == "" || sqlNames[lower] || commandNames[lower] {
		said = append(said, statementOrder(f.Value))
	}
	if statementNames[lower] && truncates.MatchString(f.Value) {
		said = append(said, "truncate")
	}
	parts := nameParts(f.Name)
	for i, part := range parts {
		if words := split(part); (i < len(parts)-1 || f.Value == "" || f.Value == "null") && isCommandKey(words) {
			said = append(said, words)
		}
	}
	return said
}

// isCommandKey reports whether the name of an object orders harm, and is not the name of a thing as
// in post[title].
func isCommandKey(text string) bool {
	return !words().noun.is(text) && orderOf(text, destroys|pays|ends) != "" && !words().noun.is(strings.Join(tokens(text)[:1], " "))
}

// operationWords are the words of an identifier.
func operationWords(text string) string {
	return strings.NewReplacer(".", " ", ":", " ").Replace(split(text))
}

// textOrders are the orders in a text that is neither a form nor JSON: a call whose parts are
// separated by bars, as in GWT-RPC.
func textOrders(text string) (said []string) {
	if strings.Count(text, "|") < 4 || strings.HasPrefix(text, "<") {
		return nil
	}
	for part := range strings.SplitSeq(text, "|") {
		if len(said) < maxBatched && len(part) < maxOperation && identifier.MatchString(part) {
			said = append(said, orderOf(operationWords(part), anyHarm))
		}
	}
	return said
}

const maxOperation = 80 // bytes of the name of an operation

// sqlNames are names of fields for statements of a database.
var sqlNames = namesOf(`sql sql_query query q stmt statement sqlquery`)

// statementNames are those of them that hold nothing but statements.
var statementNames = namesOf(`sql sql_query stmt statement sqlquery`)

// truncates matches a statement that empties a table, without the word TABLE.
var truncates = regexp.MustCompile(`(?i)(?:^|;)\s*truncate\s+[\w.\x60"]+\s*(?:;|$)`)

// statementOrder is the word for what a statement does, if it does harm.
func statementOrder(text string) string {
	found := statement.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	switch word := strings.ToLower(strings.Join(found[1:], "")); word {
	case "grant", "revoke":
		return word
	default:
		return "delete"
	}
}

// statement matches statements of databases that delete, or give rights.
var statement = regexp.MustCompile(`(?i)(?:^|;)\s*(?:(drop|truncate)\s+(?:table|database|schema|view|index|user|collection|measurement|graph|all)|(delete)\s+(?:from|where|data)|(grant|revoke)\s+[\w, ]+\s+(?:on|to)|(flushall|flushdb|rm\s+-\w*[rR]\w*))\b`)
