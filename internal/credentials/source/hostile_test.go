package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// with is a document for example.com with additional members.
func with(members string) string { return `{"domain":"example.com",` + members + `}` }

// aCookie is a document with one cookie.
func aCookie(members string) string { return with(`"cookies":[{` + members + `}]`) }

func many(n int, each string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(each, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

const good = `"name":"sid","value":"` + canary + `"`

// hostile are documents that must be refused as a whole, and the field that the fault names.
var hostile = []struct{ what, text, field string }{
	{"nothing", "", ""},
	{"white space", " \n", ""},
	{"null", "null", ""},
	{"a list", `["` + canary + `"]`, ""},
	{"a text", `"` + canary + `"`, ""},
	{"a number", "5", ""},
	{"no JSON", "{" + canary, ""},
	{"cut off", `{"domain":"example.com","cookies":[{"name":"` + canary, ""},
	{"two documents", with(`"fill":"ask"`) + with(`"fill":"ask"`), ""},
	{"binary", "\x00\x01\xff" + canary, ""},
	{"no UTF-8", with(`"login":{"password":"` + canary + "\xff" + `"}`), ""},
	{"half a surrogate", with(`"login":{"password":"\ud800` + canary + `"}`), ""},
	{"a trailing comma", `{"domain":"example.com",}`, ""},
	{"huge", with(`"localStorage":{"a":"` + strings.Repeat("x", 1<<20) + `"}`), ""},
	{"deep", with(`"cookies":` + strings.Repeat("[", 20_000)), "cookies[0]"},

	{"no domain", `{"cookies":[]}`, "domain"},
	{"another domain", `{"domain":"evil.com","headers":{"X-A":"` + canary + `"}}`, "domain"},
	{"a parent's domain", `{"domain":"com"}`, "domain"},
	{"a child's domain", `{"domain":"www.example.com"}`, "domain"},
	{"a domain that ends alike", `{"domain":"notexample.com"}`, "domain"},
	{"a domain with a path", `{"domain":"example.com/../evil.com"}`, "domain"},
	{"a domain with a port", `{"domain":"example.com:443"}`, "domain"},
	{"a domain with a dot behind", `{"domain":"example.com."}`, "domain"},
	{"a domain that is a number", `{"domain":5}`, "domain"},
	{"a domain twice", `{"domain":"example.com","domain":"example.com"}`, "domain"},
	{"no value for the domain", `{"domain":null}`, "domain"},

	{"an unknown field", with(`"` + canary + `":1`), ""},
	{"a field in other letters", with(`"Cookies":[]`), ""},
	{"an unknown field of a cookie", aCookie(good + `,"httponly":true`), "cookies[0]"},
	{"a cookie that is a text", with(`"cookies":["` + canary + `"]`), "cookies[0]"},
	{"cookies in an object", with(`"cookies":{"sid":"` + canary + `"}`), "cookies"},
	{"no cookies but null", with(`"cookies":null`), "cookies"},
	{"a cookie that is null", with(`"cookies":[null]`), "cookies[0]"},
	{"too many cookies", with(`"cookies":[` + many(181, `{"name":"c#","value":"v"}`) + `]`), "cookies"},
	{"a cookie twice", with(`"cookies":[{` + good + `},{` + good + `}]`), "cookies[1]"},

	{"no name", aCookie(`"value":"` + canary + `"`), "cookies[0].name"},
	{"a name with =", aCookie(`"name":"a=b","value":"v"`), "cookies[0].name"},
	{"a name with ;", aCookie(`"name":"a;b","value":"v"`), "cookies[0].name"},
	{"a name with a line break", aCookie(`"name":"a\r\nSet-Cookie: b","value":"v"`), "cookies[0].name"},
	{"a name with NUL", aCookie(`"name":"a\u0000","value":"v"`), "cookies[0].name"},
	{"no value", aCookie(`"name":"sid"`), "cookies[0].value"},
	{"a value that is null", aCookie(`"name":"sid","value":null`), "cookies[0].value"},
	{"a value that is a number", aCookie(`"name":"sid","value":5`), "cookies[0].value"},
	{"a value that is an object", aCookie(`"name":"sid","value":{"a":"` + canary + `"}`), "cookies[0].value"},
	{"a value with ;", aCookie(`"name":"sid","value":"` + canary + `; Domain=com"`), "cookies[0].value"},
	{"a value that ends a script", aCookie(`"name":"sid","value":"');alert(1)//` + canary + `"`), "cookies[0].value"},
	{"a value with a line break", aCookie(`"name":"sid","value":"` + canary + `\nX: y"`), "cookies[0].value"},
	{"a value with a carriage return", aCookie(`"name":"sid","value":"` + canary + `\r"`), "cookies[0].value"},
	{"a value with NUL", aCookie(`"name":"sid","value":"` + canary + `\u0000"`), "cookies[0].value"},
	{"a value with a C1 control", aCookie(`"name":"sid","value":"` + canary + `\u0085"`), "cookies[0].value"},
	{"a value with white space behind", aCookie(`"name":"sid","value":"` + canary + ` "`), "cookies[0].value"},
	{"a long value", aCookie(`"name":"sid","value":"` + strings.Repeat("x", 4096) + `"`), "cookies[0].value"},

	{"a cookie of a parent", aCookie(good + `,"domain":".com"`), "cookies[0].domain"},
	{"a cookie of another", aCookie(good + `,"domain":"evil.com"`), "cookies[0].domain"},
	{"a cookie of one that ends alike", aCookie(good + `,"domain":"notexample.com"`), "cookies[0].domain"},
	{"a cookie of two dots", aCookie(good + `,"domain":"..example.com"`), "cookies[0].domain"},
	{"a cookie of a dot", aCookie(good + `,"domain":"."`), "cookies[0].domain"},
	{"a cookie of a port", aCookie(good + `,"domain":"example.com:80"`), "cookies[0].domain"},
	{"a path without a slash", aCookie(good + `,"path":"admin"`), "cookies[0].path"},
	{"a path with ;", aCookie(good + `,"path":"/;x"`), "cookies[0].path"},
	{"an expiry before 1970", aCookie(good + `,"expires":-5`), "cookies[0].expires"},
	{"an expiry that is a text", aCookie(good + `,"expires":"` + canary + `"`), "cookies[0].expires"},
	{"an expiry beyond numbers", aCookie(good + `,"expires":1e999`), "cookies[0].expires"},
	{"a sameSite of its own", aCookie(good + `,"sameSite":"` + canary + `"`), "cookies[0].sameSite"},
	{"None without secure", aCookie(good + `,"sameSite":"None"`), "cookies[0].secure"},
	{"__Secure- without secure", aCookie(`"name":"__Secure-a","value":"v"`), "cookies[0].secure"},
	{"__host- of a domain", aCookie(`"name":"__host-a","value":"v","secure":true,"domain":".example.com"`), "cookies[0].name"},
	{"__Host- of a path", aCookie(`"name":"__Host-a","value":"v","secure":true,"path":"/a"`), "cookies[0].name"},

	{"storage that is a list", with(`"localStorage":["` + canary + `"]`), "localStorage"},
	{"storage with a number", with(`"localStorage":{"a":5}`), "localStorage.a"},
	{"storage with an object", with(`"sessionStorage":{"user":{"token":"` + canary + `"}}`), "sessionStorage.user"},
	{"storage with null", with(`"sessionStorage":{"a":null}`), "sessionStorage.a"},
	{"storage without a name", with(`"localStorage":{"":"` + canary + `"}`), "localStorage"},
	{"storage with a line break", with(`"localStorage":{"a":"` + canary + `\n"}`), "localStorage.a"},
	{"storage with NUL", with(`"sessionStorage":{"a":"` + canary + `\u0000"}`), "sessionStorage.a"},
	{"storage with a value as name", with(`"localStorage":{"` + canary + `\u0000":"a"}`), "localStorage"},
	{"storage with a long value", with(`"localStorage":{"a":"` + strings.Repeat("x", 256<<10+1) + `"}`), "localStorage.a"},
	{"too much storage", with(`"localStorage":{` + many(1001, `"k#":"v"`) + `}`), "localStorage"},
	{"a name twice", with(`"localStorage":{"a":"1","a":"2"}`), "localStorage.a"},

	{"a header of the browser", with(`"headers":{"Cookie":"a=` + canary + `"}`), "headers.Cookie"},
	{"a header of the host", with(`"headers":{"hOST":"evil.com"}`), "headers.hOST"},
	{"a header of the length", with(`"headers":{"Content-Length":"0"}`), "headers.Content-Length"},
	{"a header of the connection", with(`"headers":{"Transfer-Encoding":"chunked"}`), "headers.Transfer-Encoding"},
	{"a header of the fetch", with(`"headers":{"Sec-Fetch-Site":"none"}`), "headers.Sec-Fetch-Site"},
	{"a header with a line break", with(`"headers":{"X-A":"` + canary + `\r\nX-B: c"}`), "headers.X-A"},
	{"a header with NUL", with(`"headers":{"X-A":"` + canary + `\u0000"}`), "headers.X-A"},
	{"a header beyond ASCII", with(`"headers":{"X-A":"` + canary + `ü"}`), "headers.X-A"},
	{"an empty header", with(`"headers":{"X-A":""}`), "headers.X-A"},
	{"a header without a name", with(`"headers":{"":"` + canary + `"}`), "headers"},
	{"a header with a name of two lines", with(`"headers":{"X-A: ` + canary + `\r\nX-B":"c"}`), "headers"},
	{"a header twice", with(`"headers":{"X-A":"1","x-a":"2"}`), "headers.x-a"},
	{"a long header", with(`"headers":{"X-A":"` + strings.Repeat("x", 8<<10+1) + `"}`), "headers.X-A"},
	{"many long headers", with(`"headers":{` + many(5, `"X-#":"`+strings.Repeat("x", 8<<10)+`"`) + `}`), "headers"},
	{"too many headers", with(`"headers":{` + many(33, `"X-#":"v"`) + `}`), "headers"},

	{"an origin elsewhere", with(`"origin":"https://evil.com"`), "origin"},
	{"an origin of a parent", with(`"origin":"https://com"`), "origin"},
	{"an origin with a user", with(`"origin":"https://` + canary + `@example.com"`), "origin"},
	{"an origin with a path", with(`"origin":"https://example.com/` + canary + `"`), "origin"},
	{"an origin of another scheme", with(`"origin":"file://example.com"`), "origin"},
	{"an origin of a script", with(`"origin":"javascript:alert(1)"`), "origin"},
	{"an origin without a scheme", with(`"origin":"example.com"`), "origin"},
	{"an origin with an empty port", with(`"origin":"https://example.com:"`), "origin"},
	{"an origin with a port that is none", with(`"origin":"https://example.com:99999"`), "origin"},

	{"a login name in capitals", with(`"login":{"Password":"` + canary + `"}`), "login.Password"},
	{"an empty login", with(`"login":{"password":""}`), "login.password"},
	{"a login with a line break", with(`"login":{"password":"` + canary + `\n"}`), "login.password"},
	{"a long login", with(`"login":{"password":"` + strings.Repeat("x", 4097) + `"}`), "login.password"},
	{"HTTP authentication without a password", with(`"httpAuth":{"username":"ada"}`), "httpAuth"},
	{"HTTP authentication of another kind", with(`"httpAuth":{"username":"ada","password":"x","token":"` + canary + `"}`), "httpAuth"},
	{"a colon in a user name", with(`"httpAuth":{"username":"a:` + canary + `","password":"x"}`), "httpAuth.username"},
	{"a password with a line break", with(`"httpAuth":{"username":"ada","password":"` + canary + `\n"}`), "httpAuth.password"},
	{"a seed that is none", with(`"login":{"totp":"` + canary + `"}`), "login.totp"},
	{"a short seed", with(`"login":{"totp":"ABCD"}`), "login.totp"},
	{"fill of its own", with(`"fill":"` + canary + `"`), "fill"},
	{"fill as a bool", with(`"fill":true`), "fill"},
	{"required as a text", with(`"required":"false"`), "required"},
}

func TestADocumentWithAFlawIsRefusedAsAWholeAndNamesTheField(t *testing.T) {
	for _, h := range hostile {
		set, err := source.Parse("example.com", []byte(h.text))
		f := fault.From(err)
		switch {
		case err == nil:
			t.Errorf("%s: it was taken", h.what)
		case f.Code != fault.CredentialsUnavailable || f.Hint == "":
			t.Errorf("%s: %v", h.what, err)
		case fmt.Sprint(f.Details["field"]) != h.field && (h.field != "" || f.Details["field"] != nil):
			t.Errorf("%s: it names %v, want %s: %v", h.what, f.Details["field"], h.field, err)
		case strings.Contains(fmt.Sprint(err, f.Hint, f.Details), canary):
			t.Errorf("%s: it repeats a value: %v", h.what, err)
		case set.Injects() || set.Login != nil || set.Domain != "":
			t.Errorf("%s: something is left of it", h.what)
		}
	}
}

func TestValidDocumentsAreAccepted(t *testing.T) {
	for what, text := range map[string]string{
		"nothing but the domain":   `{"domain":"example.com"}`,
		"in capitals":              `{"domain":"EXAMPLE.com"}`,
		"all of it":                with(`"cookies":[{"name":"__Host-a","value":"v","secure":true},{"name":"b","value":"","domain":".example.com","sameSite":"none","secure":true,"expires":-1},{"name":"c","value":"a b\"c","domain":"app.example.com","expires":1e300}],"localStorage":{"a":"{\"b\":\"');alert(1)//\"}"}`),
		"an origin with a port":    with(`"origin":"http://app.example.com:8080/"`),
		"the same name, elsewhere": with(`"cookies":[{"name":"a","value":"1"},{"name":"a","value":"2","path":"/x"},{"name":"a","value":"3","domain":".example.com"}]`),
		"HTTP authentication":      with(`"httpAuth":{"username":"ada","password":"a:b"}`),
		"a seed as sites write it": with(`"login":{"totp":"jbsw y3dp ehpk 3pxp===="}`),
	} {
		if _, err := source.Parse("example.com", []byte(text)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTheFaultOfAnUnknownFieldNamesTheNearestOne(t *testing.T) {
	for text, nearest := range map[string]string{
		with(`"localstorage":{}`): `"localStorage"`, with(`"header":{}`): `"headers"`, aCookie(good + `,"httponly":true`): `"httpOnly"`,
	} {
		if _, err := source.Parse("example.com", []byte(text)); err == nil || !strings.Contains(err.Error(), nearest) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
