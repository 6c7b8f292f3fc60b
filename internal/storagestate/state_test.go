package storagestate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/storagestate"
)

var now = time.Unix(1_700_000_000, 0)

func parse(t *testing.T, format, file string) storagestate.State {
	t.Helper()
	s, err := storagestate.Parse(format, []byte(file), now)
	if err != nil {
		t.Fatalf("%v (hint: %s)", err, fault.From(err).Hint)
	}
	return s
}

// line formats a cookie as one line.
func line(c storagestate.Cookie) string {
	end := "session"
	if c.Expires != nil {
		end = fmt.Sprintf("%.0f", *c.Expires)
	}
	return fmt.Sprintf("%s: %s=%s %s %s %s http-only %t secure %t %q", c.Place, c.Name, *c.Value, c.Domain, c.Path, end, c.HTTPOnly, c.Secure, c.SameSite)
}

func wantCookies(t *testing.T, s storagestate.State, format string, want ...string) {
	t.Helper()
	var got []string
	for _, c := range s.Cookies {
		got = append(got, line(c))
	}
	if s.Format != format || !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant %s:\n%s", s.Format, strings.Join(got, "\n"), format, strings.Join(want, "\n"))
	}
}

func wantLeft(t *testing.T, s storagestate.State, want ...action.LeftOut) {
	t.Helper()
	if !slices.Equal(s.Left, want) {
		t.Errorf("left out %+v, want %+v", s.Left, want)
	}
}

func TestPlaywrightsStateIsRead(t *testing.T) {
	s := parse(t, "auto", `{
		"cookies": [
			{"name": "sid", "value": "v1", "domain": "app.example.com", "path": "/in", "expires": -1, "httpOnly": true, "secure": true, "sameSite": "Strict"},
			{"name": "wide", "value": "v2", "domain": ".example.com", "path": "/", "expires": 1800000000.5, "httpOnly": false, "secure": false, "sameSite": "None"},
			{"name": "old", "value": "v3", "domain": ".example.com", "path": "/", "expires": 1600000000, "httpOnly": false, "secure": false, "sameSite": "Lax"},
			{"name": "apart", "value": "v4", "domain": "ads.example", "path": "/", "expires": -1, "httpOnly": false, "secure": true, "sameSite": "None", "partitionKey": "https://example.com", "_crHasCrossSiteAncestor": true}
		],
		"origins": [
			{"origin": "https://app.example.com:8443", "localStorage": [{"name": "token", "value": "t\n1"}, {"name": "", "value": ""}], "indexedDB": [{"name": "db"}]},
			{"origin": "https://empty.example", "localStorage": []}
		]
	}`)
	wantCookies(t, s, storagestate.Playwright,
		`cookies.0: sid=v1 app.example.com /in session http-only true secure true "Strict"`,
		`cookies.1: wide=v2 .example.com / 1800000000 http-only false secure false ""`)
	wantLeft(t, s,
		action.LeftOut{Host: "ads.example", Why: "it counts in frames of one other site only, which is not supported", Cookies: 1},
		action.LeftOut{Host: "app.example.com", Why: "IndexedDB is not supported"},
		action.LeftOut{Host: "example.com", Why: "expired", Cookies: 1})
	if len(s.Origins) != 1 || s.Origins[0].Origin != "https://app.example.com:8443" || s.Origins[0].Place != "origins.0" ||
		!slices.Equal(s.Origins[0].LocalStorage, []action.StorageItem{{Name: "token", Value: "t\n1"}, {}}) {
		t.Errorf("origins %+v", s.Origins)
	}
}

func TestCookiesOfExtensionsAreRead(t *testing.T) {
	s := parse(t, "auto", "\ufeff"+`  [
		{"domain": ".github.com", "expirationDate": 1800000000.25, "hostOnly": false, "httpOnly": true, "name": "user_session", "path": "/", "sameSite": "lax", "secure": true, "session": false, "storeId": "0", "value": "v1", "id": 1},
		{"domain": "github.com", "hostOnly": true, "httpOnly": false, "name": "theme", "path": "/", "sameSite": "unspecified", "secure": false, "session": true, "storeId": null, "value": ""},
		{"domain": "plain.example", "hostOnly": false, "name": "a", "value": "b", "sameSite": null, "session": true, "expirationDate": 5},
		{"domain": "fire.fox", "hostOnly": true, "name": "f", "value": "g", "path": "/x", "sameSite": "no_restriction", "secure": false, "session": true},
		{"domain": ".puppet.example", "name": "p", "value": "q", "path": "/", "expires": 1800000001, "size": 2, "sameSite": "None", "secure": true}
	]`)
	wantCookies(t, s, storagestate.JSON,
		`entry 0: user_session=v1 .github.com / 1800000000 http-only true secure true "Lax"`,
		`entry 1: theme= github.com / session http-only false secure false ""`,
		`entry 2: a=b .plain.example / session http-only false secure false ""`,
		`entry 3: f=g fire.fox /x session http-only false secure false ""`,
		`entry 4: p=q .puppet.example / 1800000001 http-only false secure true "None"`)
	wantLeft(t, s)
}

func TestNetscapesCookiesAreRead(t *testing.T) {
	s := parse(t, "auto", strings.Join([]string{
		"# Netscape HTTP Cookie File", "# http://curl.haxx.se/rfc/cookie_spec.html", "",
		"example.com\tTRUE\t/\tTRUE\t1800000000\twide\tv1",
		"#HttpOnly_app.example.com\tFALSE\t/in\tfalse\t0\tsid\tv2=3",
		".example.com\tTRUE\t/\tFALSE\t1600000000\told\tv3\r",
		"app.example.com\tFALSE\t/\tFALSE\t0\tempty",
		"app.example.com\tFALSE\t/\tFALSE\t1800000000.5\tlast\tv4\r", "  ",
	}, "\n"))
	wantCookies(t, s, storagestate.Netscape,
		`line 4: wide=v1 .example.com / 1800000000 http-only false secure true ""`,
		`line 5: sid=v2=3 app.example.com /in session http-only true secure false ""`,
		`line 7: empty= app.example.com / session http-only false secure false ""`,
		`line 8: last=v4 app.example.com / 1800000000 http-only false secure false ""`)
	wantLeft(t, s, action.LeftOut{Host: "example.com", Why: "expired", Cookies: 1})
}

func TestFaultsNameThePlaceOfABadEntryAndNotItsValue(t *testing.T) {
	const line = "a.example\tFALSE\t/\tFALSE\t0\tn\tcanary-value\n"
	for _, c := range []struct{ format, file, says string }{
		{"auto", "", "no cookies and no origins"},
		{"auto", "{}", "neither cookies nor origins"},
		{"auto", `{"cookies": []}`, "no cookies and no origins"},
		{"auto", `{"cookies": [{"name": "n",` + "\n" + `  "value": canary-value}]}`, "the file is no JSON at line 2, character 12"},
		{"auto", `{"cookies": "canary-value"}`, "the file.cookies has the wrong type, string"},
		{"auto", `{"cookies": [7]}`, "cookies.0 has the wrong type, number"},
		{"auto", `{"cookies": [{"name": "n", "value": 123456, "domain": "a.example"}]}`, "cookies.0.value has the wrong type, number"},
		{"auto", `{"cookies": [{"value": "canary-value", "domain": "a.example"}]}`, "cookies.0 has no name"},
		{"auto", `[{"name": "n", "domain": "a.example"}]`, "entry 0 has no value"},
		{"auto", `[{"name": "n", "value": "canary-value"}]`, "entry 0 has no domain"},
		{"auto", `[{"name": "n", "value": "v", "domain": "a.example"}, {"name": "n", "value": "canary-value", "domain": "a.example", "sameSite": "canary-value"}]`, "entry 1: sameSite"},
		{"auto", `{"origins": [{"origin": "https://canary-value.example/path", "localStorage": []}]}`, "origins.0: origin is none"},
		{"auto", `{"origins": [{"origin": "file://", "localStorage": []}]}`, "origins.0: origin is none"},
		{"auto", `{"origins": [{"origin": "https://a.example", "localStorage": [{"name": "canary-value"}]}]}`, "origins.0.localStorage.0 has no name, or no value"},
		{"auto", line + "a.example FALSE / FALSE 0 n canary-value", "line 2 has 1 fields"},
		{"auto", line + strings.ReplaceAll(line, "\t/\tFALSE", "\t/\tcanary-value"), "line 2: the flag for TLS is neither"},
		{"auto", line + strings.ReplaceAll(line, "\t0\t", "\tcanary-value\t"), "line 2: expiry is no number"},
		{"auto", line + strings.ReplaceAll(line, "\t0\t", "\tNaN\t"), "line 2: expiry is no number"},
		{"auto", line + "\n\xff canary-value", "line 3 is not UTF-8"},
		{"json", `{"cookies": []}`, "the file has the wrong type, object"},
		{"playwright", line, "the file is no JSON at line 1"},
		{"yaml", line, "format is none of"},
		{"auto", strings.Repeat(line, 5001), "more than 5000 cookies"},
	} {
		_, err := storagestate.Parse(c.format, []byte(c.file), now)
		f := fault.From(err)
		if err == nil || f.Code != fault.InvalidRequest && f.Code != fault.LimitReached || !strings.Contains(f.Message, c.says) {
			t.Errorf("%.80q: %v, want %q", c.file, err, c.says)
		} else if strings.Contains(f.Message+f.Hint, "canary") || strings.Contains(f.Message, "123456") {
			t.Errorf("the fault repeats a value: %v", err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"cookies":[{"name":"n","value":"v","domain":"a.example","partitionKey":{}}],"origins":[{"origin":"http://a","localStorage":[]}]}`))
	f.Add([]byte(`[{"name":"n","value":"v","domain":".a.example","hostOnly":true,"expirationDate":1e99}]`))
	f.Add([]byte("#HttpOnly_a.example\tTRUE\t/\tTRUE\t-1\tn\tv\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := storagestate.Parse(storagestate.Auto, file, now)
		if err != nil {
			if code := fault.CodeOf(err); code != fault.InvalidRequest && code != fault.LimitReached {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, c := range s.Cookies {
			if c.Value == nil || c.Place == "" || c.Expires != nil && *c.Expires <= float64(now.Unix()) {
				t.Fatalf("read %+v", c)
			}
		}
	})
}
