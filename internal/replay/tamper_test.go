package replay_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/replay"
)

// fill sets everything in a value that is empty, so that each field of it is written.
func fill(v reflect.Value) {
	if stamp, is := v.Addr().Interface().(*time.Time); is {
		if stamp.IsZero() {
			*stamp = time.Unix(1e9, 0).UTC()
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem())
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.String:
		if v.Len() == 0 {
			v.SetString("text")
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		if v.IsZero() {
			v.SetInt(7)
		}
	}
}

// editor finds the values of a JSON text and the edits that change, remove, repeat
// and reorder them.
type editor struct {
	text    string
	decoder *json.Decoder
	edits   map[string]string // the edited text by what was done
}

func editsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	e := &editor{text: text, decoder: json.NewDecoder(strings.NewReader(text)), edits: map[string]string{}}
	e.decoder.UseNumber()
	check(t, e.value(""))
	return e.edits
}

// next is where the next token begins.
func (e *editor) next() int {
	at := int(e.decoder.InputOffset())
	return at + len(e.text[at:]) - len(strings.TrimLeft(e.text[at:], " ,:\n"))
}

func (e *editor) edit(name string, from, to int, with string) {
	e.edits[name] = e.text[:from] + with + e.text[to:]
}

func (e *editor) value(path string) error {
	from := e.next()
	token, err := e.decoder.Token()
	if err != nil {
		return err
	}
	if delimiter, is := token.(json.Delim); is {
		return e.children(path, delimiter)
	}
	with := map[bool]string{true: `"another"`, false: "4711"}[reflect.TypeOf(token) == reflect.TypeFor[string]()]
	if is, isBool := token.(bool); isBool {
		with = fmt.Sprint(!is)
	}
	e.edit("change "+path, from, int(e.decoder.InputOffset()), with)
	return nil
}

// children reads the members of an object or the elements of a list.
func (e *editor) children(path string, open json.Delim) error {
	var spans [][2]int
	for n := 0; e.decoder.More(); n++ {
		from, name := e.next(), fmt.Sprintf("%s[%d]", path, n)
		if open == '{' {
			key, err := e.decoder.Token()
			if err != nil {
				return err
			}
			name = fmt.Sprintf("%s.%s", path, key)
		}
		if err := e.value(name); err != nil {
			return err
		}
		spans = append(spans, [2]int{from, int(e.decoder.InputOffset())})
	}
	for n, s := range spans {
		name := fmt.Sprintf("%s %d", path, n)
		switch {
		case n+1 < len(spans):
			e.edit("remove "+name, s[0], spans[n+1][0], "")
		case n > 0:
			e.edit("remove "+name, spans[n-1][1], s[1], "")
		default:
			e.edit("remove "+name, s[0], s[1], "")
		}
		if open == '[' {
			e.edit("repeat "+name, s[1], s[1], ","+e.text[s[0]:s[1]])
		}
		if open == '[' && n > 0 {
			before := spans[n-1]
			e.edit("reorder "+name, before[0], s[1], e.text[s[0]:s[1]]+","+e.text[before[0]:before[1]])
		}
	}
	_, err := e.decoder.Token()
	return err
}

var otherPart = strings.NewReplacer(`data-part="0"`, `data-part="1"`, `data-part="1"`, `data-part="0"`, `data-picture="`, `data-part="0" data-picture="`)

var anyIndex = regexp.MustCompile(`\d+`)

var dataElement = regexp.MustCompile(`<script type="[a-z]+/[a-z]+" data-[^>]*>([^<]*)</script>\n`)

// tampered returns the file with each piece of its data changed, removed, repeated,
// renamed or moved.
func tampered(t *testing.T, page string) map[string]string {
	t.Helper()
	files := map[string]string{}
	elements := dataElement.FindAllStringSubmatchIndex(page, -1)
	for n, at := range elements {
		whole, text := page[at[0]:at[1]], page[at[2]:at[3]]
		tag := whole[:strings.Index(whole, ">")+1]
		put := func(what, with string) {
			if with == whole {
				t.Fatalf("%s of %s changes nothing", what, tag)
			}
			files[what+" of "+tag] = page[:at[0]] + with + page[at[1]:]
		}
		put("removal", "")
		put("repetition", whole+whole)
		put("emptiness", tag+"</script>\n")
		put("another name", strings.Replace(whole, `"`+regexp.MustCompile(`"([^"]*)">`).FindStringSubmatch(tag)[1]+`">`, `"other">`, 1))
		put("another part", otherPart.Replace(whole))
		put("addition after", whole+strings.Replace(tag, "data-", "data-x-", 2)+"{}</script>\n")
		if n > 0 && strings.Contains(tag, `data-part="1"`) {
			put("addition of a field after", whole+`<script type="application/json" data-part="1" data-field="other">{}</script>`+"\n")
		}
		if !json.Valid([]byte(text)) {
			content, err := base64.StdEncoding.DecodeString(text)
			check(t, err)
			content[len(content)/2]++
			put("change", tag+base64.StdEncoding.EncodeToString(content)+"</script>\n")
			continue
		}
		if strings.Contains(tag, `data-part="1"`) && !strings.Contains(tag, "seal") {
			put("change", tag+" "+text+"</script>\n")
			continue // its values are those of the first part
		}
		edits, tried := editsOf(t, text), map[string]bool{}
		for _, what := range slices.Sorted(maps.Keys(edits)) {
			if kind := anyIndex.ReplaceAllString(what, "n"); !tried[kind] { // one element of each list
				tried[kind] = true
				put(what, tag+edits[what]+"</script>\n")
			}
		}
	}
	return files
}

// TestNoPieceOfTheFileCanBeChanged changes everything that the file embeds, also what is
// added to it later. With -short, fields that are empty here are left out.
func TestNoPieceOfTheFileCanBeChanged(t *testing.T) {
	r := recorded(t)
	if !testing.Short() {
		fill(reflect.ValueOf(&r.Session).Elem())
	}
	r.Session.ID = "s1"
	r.Seen = append(r.Seen, action.Sight{CorrelationID: "c5", Text: "a third text", Cut: true})
	r.Questions = append(r.Questions, action.Question{ID: "q2"})
	for i := 0; i < len(r.Questions) && !testing.Short(); i++ {
		fill(reflect.ValueOf(&r.Questions[i]).Elem())
	}
	r.Pictures = r.Pictures[:2]
	page := writtenParts(t, r.parts(t, 8), pictures)
	p := openTab(t)
	p.open(page, "")
	if state, words := p.verdict(); state != "verified" || !strings.HasPrefix(words, "Verified: 16 records, and all that is shown with them.") {
		t.Fatalf("the file as it was written is %s: %s %s", state, words, p.text("problems"))
	}
	files := tampered(t, page)
	if len(files) < 150 {
		t.Fatalf("only %d changes are tried", len(files))
	}
	for _, what := range slices.Sorted(maps.Keys(files)) {
		p.open(files[what], "")
		state, words := p.verdict()
		problems := p.text("problems")
		if leftOut := strings.HasPrefix(what, "removal of") && strings.Contains(what, "data-picture"); leftOut {
			if state != "partly" || !strings.HasPrefix(words, "Partly verified. Pictures that are not in this file: 1.") {
				t.Errorf("%s: %s %s", what, state, words)
			}
		} else if state != "broken" || !strings.HasPrefix(words, "Not verified: ") || problems == "" {
			t.Errorf("%s: %s %s %s", what, state, words, problems)
		}
	}
}

// TestTheFileNamesWhatWasChanged changes one field after the other.
func TestTheFileNamesWhatWasChanged(t *testing.T) {
	p := openTab(t)
	page := writtenParts(t, recorded(t).parts(t, 8), pictures)
	for name, change := range map[string][2]string{
		"Part 1, the facts of the session: changed.":        {`"scope":"acme"`, `"scope":"evil"`},
		"Part 1, the summary of the records: changed.":      {`"count":16`, `"count":17`},
		"Part 1, what the agent saw: changed.":              {`page \"Shop\"`, `page \"Bank\"`},
		"Part 1, the questions and answers: changed.":       {`"answeredBy":"ann"`, `"answeredBy":"bob"`},
		"Part 1, the list of pictures: changed.":            {`"artifact":"` + picture, `"artifact":"` + gone},
		"Part 1, what follows the part: changed.":           {`data-field="next">"`, `data-field="next">"1`},
		"Part 1, the records: changed.":                     {`\"result\":\"ok\"`, `\"result\":\"fault\"`},
		"Part 1: the signature does not fit.":               {`\"cursor\":\"\"`, `\"cursor\":\"1-2\"`},
		"Record 1 was changed: its hash does not fit.":      {`\"action\":\"page.click\"`, `\"action\":\"page.hover\"`},
		"Picture " + picture + " was changed.":              {"iVBORw0KGgoAAAANSUhEUgAAACg", "iVBORw0KGgoAAAANSUhEUgAAACk"},
		"The last record is not the newest one of the sess": {`"seq":23`, `"seq":24`},
	} {
		changed := strings.Replace(page, change[0], change[1], 1)
		if changed == page {
			t.Fatalf("the file has no %s", change[0])
		}
		p.open(changed, "")
		if problems := p.text("problems"); !strings.Contains(problems, name) {
			t.Errorf("%s became %s: the file says %q", change[0], change[1], problems)
		}
	}
	caption := func(page string) string { p.open(page, "#8"); return p.text("caption") }
	if got := caption(strings.Replace(page, "iVBORw0KGgoAAAANSUhEUgAAACg", "iVBORw0KGgoAAAANSUhEUgAAACk", 1)); got != "Picture of record 8. Not verified: it is not the picture that the gateway signed." {
		t.Errorf("a changed picture has the caption %q", got)
	}
}

// TestPartsOfOtherReplaysDoNotMakeAFile puts parts together that are each signed.
func TestPartsOfOtherReplaysDoNotMakeAFile(t *testing.T) {
	p := openTab(t)
	r := recorded(t)
	all := r.parts(t, 4)
	other := recorded(t) // of another gateway
	otherSession := r
	changed := *r.Replay
	otherSession.Replay, changed.Session.ID = &changed, "s2"
	for name, parts := range map[string][]*action.Replay{
		"reordered":       {all[0], all[2], all[1], all[3]},
		"first missing":   all[1:],
		"one missing":     {all[0], all[2], all[3]},
		"last missing":    all[:3],
		"twice":           {all[0], all[1], all[1], all[2], all[3]},
		"all twice":       append(slices.Clone(all), all...),
		"another gateway": {all[0], other.parts(t, 4)[1], all[2], all[3]},
		"another session": {all[0], otherSession.parts(t, 4)[1], all[2], all[3]},
		"another size":    {all[0], r.parts(t, 8)[1]},
		"none":            {},
	} {
		p.open(writtenParts(t, parts, pictures), "")
		if state, words := p.verdict(); state != "broken" || p.text("problems") == "" {
			t.Errorf("%s: %s %s", name, state, words)
		}
	}
	unsigned := *r.Replay
	p.open(writtenParts(t, []*action.Replay{&unsigned}, pictures), "")
	if state, problems := p.eval(`document.getElementById("verdict").dataset.state`), p.text("problems"); state != "broken" || problems != "Part 1 has no signature." {
		t.Errorf("without a signature: %s %s", state, problems)
	}
}

// TestAPictureThatIsNotSignedIsNamed has a picture of whose hash the gateway knows
// nothing.
func TestAPictureThatIsNotSignedIsNamed(t *testing.T) {
	p := openTab(t)
	r := recorded(t)
	for i := range r.Pictures {
		r.Pictures[i].SHA256 = ""
	}
	p.open(written(t, r, pictures), "#8")
	state, words := p.verdict()
	if caption := p.text("caption"); state != "partly" || !strings.HasPrefix(words, "Partly verified. Pictures that are not covered by the signature: 1.") || caption != "Picture of record 8. It is not covered by the signature." {
		t.Errorf("%s %s: %s", state, words, caption)
	}
}

func TestAnAnswerThatTheGatewayDidNotSignIsNotWritten(t *testing.T) {
	part := recorded(t).parts(t, 1000)[0]
	part.Session.Name = "another"
	if err := replay.Write(new(strings.Builder), []*action.Replay{part}, nil); err == nil || !strings.Contains(err.Error(), "is not the one that the gateway signed") {
		t.Errorf("the export ended with %v", err)
	}
}
