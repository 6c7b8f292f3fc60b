package outgoing_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
)

func packed(t *testing.T, pack func(io.Writer) io.WriteCloser, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := pack(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func parts(all ...string) string {
	return "--b\r\n" + strings.Join(all, "\r\n--b\r\n") + "\r\n--b--\r\n"
}

// Servers read bodies in more forms than one. Whatever they find in one is a field.
func TestBodiesAreReadInTheFormsThatServersRead(t *testing.T) {
	const order = `{"action":"delete","id":5}`
	zipped := packed(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, order)
	deflated := packed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, order)
	in64 := base64.StdEncoding.EncodeToString([]byte(order))
	for name, c := range map[string]struct {
		kind, body, field string
		unknown           bool
	}{
		"lines of JSON":             {"application/x-ndjson", "{\"a\":1}\n" + order + "\n", "action", false},
		"JSON after JSON":           {"application/json", `{"a":1}` + order, "action", false},
		"a JSON text sequence":      {"application/json-seq", "\x1e{\"a\":1}\n\x1e" + order + "\n", "action", false},
		"text after JSON":           {"application/json", order + " and more", "action", true},
		"a member given twice":      {"application/json", `{"action":"delete","action":"view"}`, "action", false},
		"a member given last":       {"application/json", `{"action":"view","action":"delete"}`, "action", false},
		"an escaped name":           {"application/json", `{"\u0061ction":"d\u0065lete"}`, "action", false},
		"comments":                  {"application/json", "{ // what\n \"action\" /* is */ : \"delete\" }", "action", true},
		"single quotes":             {"application/json", `{'action':'delete'}`, "action", true},
		"names without quotes":      {"text/plain", `{action:"delete",}`, "action", true},
		"broken off":                {"application/json", `{"action":"delete"`, "action", true},
		"CSV":                       {"text/csv", "action,id\ndelete,5\n", "action", false},
		"CSV with semicolons":       {"text/csv", "id;action\n5;delete\n", "action", false},
		"columns between tabs":      {"text/tab-separated-values", "id\taction\n5\tdelete\n", "action", false},
		"yaml":                      {"application/yaml", "id: 5\naction: delete\n", "action", true},
		"gzip":                      {"application/json", zipped, "action", false},
		"gzip in text":              {"text/plain", zipped, "action", false},
		"gzip in gzip":              {"application/json", packed(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, zipped), "action", false},
		"zlib":                      {"application/json", deflated, "action", false},
		"JSON in JSON":              {"application/json", `{"data":"{\"action\":\"delete\"}"}`, "data.action", false},
		"JSON in JSON in JSON":      {"application/json", `{"data":"{\"in\":\"{\\\"action\\\":\\\"delete\\\"}\"}"}`, "data.in.action", false},
		"quoted JSON":               {"application/json", `"{\"action\":\"delete\"}"`, "action", false},
		"JSON in a form":            {"application/x-www-form-urlencoded", "a=1&data=" + url.QueryEscape(order), "data.action", false},
		"a form in a form":          {"application/x-www-form-urlencoded", "data=" + url.QueryEscape("id=5&action=delete"), "data.action", false},
		"escaped twice":             {"application/x-www-form-urlencoded", "data=" + url.QueryEscape(url.QueryEscape(order)), "data.action", false},
		"a form with semicolons":    {"application/x-www-form-urlencoded", "id=5;action=delete", "action", false},
		"base64 in JSON":            {"application/json", `{"data":"` + in64 + `"}`, "data.action", false},
		"base64 in a form":          {"application/x-www-form-urlencoded", "data=" + url.QueryEscape(in64), "data.action", false},
		"base64 for addresses":      {"application/x-www-form-urlencoded", "data=" + base64.RawURLEncoding.EncodeToString([]byte(order)), "data.action", false},
		"gzip in base64":            {"application/json", `{"data":"` + base64.StdEncoding.EncodeToString([]byte(zipped)) + `"}`, "data.action", false},
		"a data address":            {"application/json", `{"data":"data:application/json;base64,` + in64 + `"}`, "data.action", false},
		"a form in base64":          {"application/json", `{"data":"` + base64.StdEncoding.EncodeToString([]byte("id=5&action=delete")) + `"}`, "data.action", false},
		"an event of engine.io":     {"text/plain;charset=UTF-8", `42["delete",5]`, "0", false},
		"messages of SockJS":        {"text/plain", `["{\"action\":\"delete\"}"]`, "0.action", false},
		"a part of JSON":            {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"data\"\r\nContent-Type: application/json\r\n\r\n" + order), "data.action", false},
		"a file of JSON":            {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"data\"; filename=\"x.json\"\r\nContent-Type: application/json\r\n\r\n" + order), "data.action", false},
		"JSON in a part":            {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"data\"\r\n\r\n" + order), "data.action", false},
		"a part in base64":          {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"data\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + in64), "data.action", false},
		"a quoted-printable part":   {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"action\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nd=65lete"), "action", false},
		"parts in a part":           {"multipart/mixed; boundary=o", "--o\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + parts("Content-Type: application/json\r\n\r\n"+order) + "\r\n--o--\r\n", "0.0.action", false},
		"a request of a batch":      {"multipart/mixed; boundary=b", parts("Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nPOST /rows HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + order), "0.action", false},
		"a blob of JSON, left out":  {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"data\"; filename=\"blob\"\r\nContent-Type: application/json\r\n\r\n"), "", true},
		"a blob of any kind":        {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"data\"; filename=\"blob\"\r\n\r\n"), "", true},
		"a picture, left out":       {"multipart/form-data; boundary=b", parts("Content-Disposition: form-data; name=\"f\"; filename=\"me.png\"\r\nContent-Type: image/png\r\n\r\n"), "", false},
		"a picture":                 {"image/png", "\x89PNG\r\n\x1a\n\x00\xff", "", false},
		"bytes":                     {"application/octet-stream", "\xff\xfe\x00", "", true},
		"bytes that are text":       {"text/plain", "\x01\x02delete", "", true},
		"a protocol of its own":     {"text/x-gwt-rpc; charset=utf-8", "7|0|6|deleteItem|5|", "", true},
		"prose":                     {"text/plain", "Dear Ann, see you: at five.", "", false},
		"prose with a link":         {"text/markdown", "[the list](/items) is = to that", "", false},
		"a document":                {"text/html", "<p class=\"a\">Hello</p>", "", false},
		"GraphQL":                   {"application/graphql", "{ me { id } }", "", false},
		"a picture in a field":      {"application/json", `{"picture":"data:image/png;base64,` + in64 + `"}`, "picture", false},
		"a key that looks like one": {"application/json", `{"key":"QUJDREVGR0hJSktMTU5P"}`, "key", false},
	} {
		read := outgoing.Body(c.kind, []byte(c.body))
		if read.Unknown != c.unknown {
			t.Errorf("%s: unknown %t: %v", name, read.Unknown, read.Fields)
		}
		of := func(f action.BodyField) bool {
			return f.Name == c.field && (!strings.HasSuffix(c.field, "action") && c.field != "0" || f.Value == "delete")
		}
		if c.field != "" && !slices.ContainsFunc(read.Fields, of) {
			t.Errorf("%s: no field %s: %v", name, c.field, read.Fields)
		}
	}
}

// Of bytes in an unknown form the names of operations are read, and not what people read.
func TestNamesInUnknownBytesAreRead(t *testing.T) {
	for body, want := range map[string]string{
		"\x82\xa6action\xa6delete\xa4name\xa6Delete\xff": "||||action|delete|name",
		"\xa2\x66action\x6bitem.delete\xff":              "||||factionkitem.delete|action|item.delete",
		"\x0a\x0aDeleteItem\x12\x02ok":                   "||||DeleteItem",
		"\xff\xfe\xfd":                                   "",
	} {
		got := ""
		for _, f := range outgoing.Body("application/octet-stream", []byte(body)).Fields {
			if strings.HasPrefix(f.Value, "||||") {
				got = f.Value
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestABatchTellsItsRequests(t *testing.T) {
	body := parts("Content-Type: application/http\r\n\r\nDELETE Rows(1) HTTP/1.1\r\nHost: x\r\n\r\n", "Content-Type: application/http\r\n\r\nGET /rows HTTP/1.1\r\n\r\n")
	want := []action.BodyField{{Name: "0.method", Value: "DELETE"}, {Name: "0.url", Value: "Rows(1)"}, {Name: "1.method", Value: "GET"}, {Name: "1.url", Value: "/rows"}}
	if got := outgoing.Body("multipart/mixed; boundary=b", []byte(body)); !slices.Equal(got.Fields, want) || got.Unknown {
		t.Errorf("%+v", got)
	}
}

// Encodings within each other are read to a depth; what is deeper is unknown.
func TestNestedEncodingsAreBounded(t *testing.T) {
	text := `{"action":"delete"}`
	for range 12 {
		text = `{"a":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`
	}
	if read := outgoing.Body("application/json", []byte(text)); !read.Unknown || len(read.Fields) > 12 {
		t.Errorf("unknown %t, %d fields", read.Unknown, len(read.Fields))
	}
	bomb := packed(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, strings.Repeat(" ", 20<<20)+`{"a":1}`)
	if read := outgoing.Body("application/json", []byte(bomb)); !read.Cut || !read.Unread {
		t.Errorf("a body of 20 MB in %d bytes is taken for read: %v", len(bomb), read.Fields)
	}
}

// What servers read in another way than browsers write it is read, or counts as
// more than can be read.
func TestBodiesThatNoBrowserWritesAreNotTakenForHarmless(t *testing.T) {
	const form, part = "application/x-www-form-urlencoded", "--b\r\nContent-Disposition: form-data; "
	many := "action=view&" + strings.Repeat("a=1&", 300) + "action=delete"
	for name, c := range map[string]struct {
		kind, body string
		want       string // "name=value" of a field; none where empty
		cut        bool
	}{
		"the last of many values":    {form, many, "action=delete", false},
		"lines":                      {"text/plain", "id=5\r\naction=delete\r\n", "action=delete", false},
		"lines of a note":            {"text/plain", "I wrote:\na = b", "=I wrote:\na = b", false},
		"an action of SOAP":          {`application/soap+xml; action="urn:Delete"`, "<e/>", "SOAPAction=urn:Delete", false},
		"EBCDIC":                     {form + "; charset=ibm037", "%84%85", "", true},
		"UTF-7":                      {"application/json; charset=utf-7", "+AHs-", "", true},
		"a charset of Europe":        {form + "; charset=ISO-8859-1", "a=%E9", "", false},
		"a charset of Japan":         {form + "; charset=Shift_JIS", "a=1", "a=1", false},
		"a packed form":              {form, "\x1b\x0b\x00\x80a=1\x03", "", true},
		"an attachment":              {"multipart/form-data; boundary=b", part[:3] + "\r\nContent-Disposition: attachment; name=\"action\"\r\n\r\ndelete\r\n--b--\r\n", "action=delete", false},
		"two names":                  {"multipart/form-data; boundary=b", part + "name=\"x\"; name=\"action\"\r\n\r\ndelete\r\n--b--\r\n", "action=delete", false},
		"an action that is a file":   {"multipart/form-data; boundary=b", part + "name=\"action\"; filename=\"x\"\r\n\r\ndelete\r\n--b--\r\n", "action=delete", false},
		"a multipart without an end": {"multipart/form-data", part + "name=\"a\"\r\n\r\n1\r\n--b--\r\n", "", true},
	} {
		read := outgoing.Body(c.kind, []byte(c.body))
		found := c.want == "" || slices.ContainsFunc(read.Fields, func(f action.BodyField) bool { return f.Name+"="+f.Value == c.want })
		if !found || read.Cut != c.cut {
			t.Errorf("%s: cut %t, fields %.300v", name, read.Cut, read.Fields)
		}
	}
}
