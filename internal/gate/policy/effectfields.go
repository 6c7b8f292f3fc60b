package policy

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// commandNames are names of fields that name an action.
var commandNames = namesOf(`action action2 act do op operation cmd command method _method mode func function intent bulk_action doaction wc-ajax
	x-http-method-override x-http-method x-method-override soapaction x-action verb methodname httpmethod actiontype requesttype`)

// methodNames are names of fields that override the method of a request.
var methodNames = namesOf(`_method x-http-method-override x-http-method x-method-override`)

// namesMethod are names of fields for the method of a request, plainMethods those that do not say what
// is done.
var (
	namesMethod  = namesOf(`_method method httpmethod http_method x-http-method-override x-http-method x-method-override`)
	plainMethods = namesOf(`GET HEAD OPTIONS POST PUT PATCH`)
)

// pressedNames are names of fields that say which control was pressed: the values are its words or
// its name.
var pressedNames = namesOf(`submit commit button btn __eventtarget source`)

// formNames are names of fields for the name of the form: form_id=item_delete_confirm.
var formNames = namesOf(`form_id form_name formid formname`)

// eventNames are names of fields for an event or a type. Their values count where they name a
// deletion.
var eventNames = namesOf(`type event kind task step`)

// fieldName is the last part of a field's name that is a word: "action" for data[action], action[0]
// and form:action.
func fieldName(name string) string {
	parts := nameParts(name)
	for i := len(parts) - 1; i >= 0; i-- {
		if strings.Trim(parts[i], "0123456789") != "" {
			return parts[i]
		}
	}
	return name
}

// nameParts are the parts of a field's name, without the spaces, quotes and control characters
// around them that servers leave out.
func nameParts(name string) []string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(".[]:$", r) })
	for i := range parts {
		parts[i] = strings.TrimFunc(parts[i], func(r rune) bool { return r <= ' ' || r == '\'' || r == '"' })
	}
	return parts
}

// fillers are words in names of controls that do not say what they do.
var fillers = namesOf(`btn button submit link cmd form ctl00 ctl01 ctl id item selected it now`)

// controlWords is the name of a control without fillers and numbers.
func controlWords(name string) string {
	var kept []string
	for _, w := range tokens(split(name)) {
		if !fillers[w] && strings.Trim(w, "0123456789") != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// statedActions are the words of fields that say what a request does: values of fields that name an
// action or the pressed control, and names of fields that are actions. Of a request that measures
// only a field that overrides the method counts.
func statedActions(r action.Request, measures bool) []string {
	var said []string
	fields := r.Fields
	if !measures {
		fields = append(slices.Clone(fields), nestedFields(fields)...)
	}
	for _, f := range fields {
		name := fieldName(f.Name)
		lower := strings.ToLower(name)
		if !measures {
			said = append(said, orderedBy(f, r.Fields)...)
		}
		switch {
		case measures:
			if methodNames[lower] {
				said = append(said, f.Value)
			}
		case f.Name == "" && strings.HasPrefix(strings.TrimSpace(f.Value), "<"):
			said = append(said, xmlNames(f.Value)...)
		case lower == "post": // Django's name for "the form was sent"
			continue
		case namesMethod[lower] && plainMethods[strings.ToUpper(f.Value)]:
		case commandNames[lower]:
			if !isDraft(tokens(split(f.Value))) {
				said = append(said, split(f.Value))
			}
		case formNames[lower]:
			said = append(said, orderOf(strings.TrimSuffix(controlWords(f.Value), " confirm"), anyHarm))
		case pressedNames[lower]:
			said = append(said, orderOf(controlWords(fieldName(f.Value)), destroys|pays|sends|grants|ends))
		case eventNames[lower] || lower == "name":
			said = append(said, orderOf(operationWords(f.Value), eventHarm(f, r.URL)))
		case isFirst(f.Name):
			said = append(said, orderOf(split(f.Value), destroys|pays|sends|grants|ends))
		}
		if !measures && !commandNames[lower] && !namesThing(name) && kindsOf(split(name))&(destroys|pays|sends) != 0 && (words().high.is(split(name)) || words().high.is(controlWords(name))) {
			said = append(said, controlWords(name))
		}
	}
	return said
}

// namesThing reports whether a field, by its name, holds the identifier of a thing: post_ID, orderId.
func namesThing(name string) bool {
	t := tokens(split(name))
	return len(t) > 1 && (t[len(t)-1] == "id" || t[len(t)-1] == "ids") && words().noun.exact[strings.Join(t[:len(t)-1], " ")]
}

// isFirst reports whether a field is the first member of a list that has no name, which names
// the event or the method of a message: ["delete", 5].
func isFirst(name string) bool {
	return name == "0" || listInList.MatchString(name)
}

var listInList = regexp.MustCompile(`(^|\.)\d+\.0$`)

// batched are the requests within a request to an address for batches: fields for a method, an
// address or both, of one thing.
func batched(r action.Request) (all []action.Request) {
	at := map[string]int{}
	for _, f := range r.Fields {
		path, name := "", strings.ToLower(f.Name)
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			path, name = name[:dot], name[dot+1:]
		}
		method := namesMethod[name]
		if !method && !innerAddress[name] || len(all) >= maxBatched {
			continue
		}
		i, known := at[path]
		if !known {
			i, at[path] = len(all), len(all)
			all = append(all, action.Request{})
		}
		if method {
			all[i].Method = strings.ToUpper(strings.TrimSpace(f.Value))
		} else {
			all[i].URL = resolved(r.URL, strings.TrimSpace(f.Value))
		}
	}
	return slices.DeleteFunc(all, func(in action.Request) bool { return in.Method == "" })
}

const maxBatched = 100 // requests of a batch that are read

// innerAddress are names of fields for the address of a request of a batch.
var innerAddress = namesOf(`url uri path relative_url relativeurl href endpoint`)

// Significant reports whether a field says what a request does, or is about money: questions show
// such fields first.
func Significant(f action.BodyField) bool {
	name := fieldName(f.Name)
	lower, plain := strings.ToLower(name), normalize(name)
	if commandNames[lower] || namesCommand(name) || action.IsOrderHeader(f.Name) || len(orderedBy(f, nil)) > 0 || pressedNames[lower] || switchNames[plain] != 0 || newPassword.MatchString(name) || words().high.is(controlWords(name)) {
		return true
	}
	for w := range strings.FieldsSeq(plain) {
		if moneyWords[w] || payeeWords[w] {
			return true
		}
	}
	return eventNames[lower] || plain == "status" || plain == "role" || cardWords.MatchString(plain)
}

// orderOf is a text if it orders one of some kinds of harm, else empty.
func orderOf(text string, wanted kinds) string {
	if t := tokens(text); len(t) == 0 || len(t) > maxCommand || words().harmful.find(readings(text), ordered).kinds()&wanted == 0 {
		return ""
	}
	return text
}

const maxXMLParts = 5000 // of a body that are read

// xmlNames are the names of elements of an XML body that order harm, and the texts of elements that
// name an action. It reads texts that are no XML as far as it can.
func xmlNames(text string) (said []string) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict, decoder.AutoClose = false, xml.HTMLAutoClose
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	open, content := "", ""
	for range maxXMLParts {
		at := decoder.InputOffset()
		token, err := decoder.Token()
		if err != nil {
			for _, m := range xmlElement.FindAllStringSubmatch(text[at:], maxXMLParts) {
				said = append(said, elementOrder(m[1]))
			}
			return said
		}
		switch t := token.(type) {
		case xml.Directive: // may define words that stand for others
			for _, w := range plainWord.FindAllString(string(t), maxXMLParts) {
				said = append(said, orderOf(split(w), destroys|pays|sends|grants|ends))
			}
		case xml.StartElement:
			said = append(said, elementOrder(t.Name.Local))
			for _, a := range t.Attr {
				said = append(said, attributeOrder(strings.ToLower(t.Name.Local), a))
			}
			open, content = strings.ToLower(t.Name.Local), ""
		case xml.CharData:
			content += string(t)
		case xml.EndElement:
			if commandNames[open] {
				said = append(said, split(content))
			}
			open = ""
		}
	}
	return said
}

// elementOrder is the name of an element if that has several words and orders harm, else empty.
func elementOrder(name string) string {
	if name = split(name); len(tokens(name)) < 2 && words().noun.is(name) {
		return ""
	}
	return orderOf(name, destroys|pays|sends|grants|ends)
}

// attributeOrder is the value of an attribute that names an action: <cmd op="delete"/>, and
// <action name="delete"/>.
func attributeOrder(element string, a xml.Attr) string {
	name := strings.ToLower(a.Name.Local)
	switch {
	case commandNames[name], name == "name" && commandNames[element]:
		return orderOf(split(a.Value), destroys|pays|sends|grants|ends)
	case eventNames[name]:
		return orderOf(split(a.Value), destroys)
	}
	return ""
}

var (
	xmlElement = regexp.MustCompile(`<(?:\w+:)?([A-Za-z_]\w*)`)
	plainWord  = regexp.MustCompile(`[\p{L}_]{3,40}`)
)

// queryFields are the parameters of an address.
func queryFields(address string) (all []action.BodyField) {
	u, err := parseLeniently(address)
	if err != nil || u.RawQuery == "" {
		return nil
	}
	for name, values := range valuesOf(u.RawQuery) {
		for _, v := range values {
			all = append(all, action.BodyField{Name: name, Value: v})
		}
	}
	return all
}

// nestedFields are the members of values that are JSON objects, also in base64.
func nestedFields(fields []action.BodyField) (all []action.BodyField) {
	for _, f := range fields {
		f.Value = decodedJSON(f.Value)
		if !strings.HasPrefix(f.Value, "{") && !strings.HasPrefix(f.Value, "[") {
			continue
		}
		for _, m := range jsonMember.FindAllStringSubmatch(f.Value, 40) {
			all = append(all, action.BodyField{Name: m[1], Value: m[2]})
		}
	}
	return all
}

// decodedJSON is a JSON text that a value has in base64, else the value.
func decodedJSON(value string) string {
	if !strings.HasPrefix(value, "ey") && !strings.HasPrefix(value, "W") { // {" or [
		return value
	}
	plain, err := fromBase64(value)
	if err != nil || !json.Valid(plain) {
		return value
	}
	return string(plain)
}

// fromBase64 decodes a text in base64 of either alphabet, padded or not.
func fromBase64(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(standardAlphabet.Replace(strings.TrimRight(text, "=")))
}

var standardAlphabet = strings.NewReplacer("-", "+", "_", "/")

var jsonMember = regexp.MustCompile(`"(\w{1,40})"\s*:\s*"([^"]{1,200})"`)
