package workflow

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAddressesOfOnePageHaveOneKey(t *testing.T) {
	for want, names := range map[string][]string{
		"https://a.example/":             {"https://a.example", "HTTPS://A.Example:443/#top", "https://a.example/?utm_source=x&gclid=1", "https://a.example/?PHPSESSID=1", "https://a.example/?"},
		"https://a.example/p?a=1&b=2":    {"https://a.example/p?b=2&a=1", "https://a.example/x/../p?a=1&fbclid=z&b=2#f", "https://a.example/p;jsessionid=AB12?a=1&b=2"},
		"http://a.example:8080/p?a":      {"http://a.example:8080/p?a"},
		"https://a.example/p?a=2&a=1":    {"https://a.example/p?a=2&a=1"},
		"https://xn--bcher-kva.example/": {"https://bücher.example/"},
		"":                               {"mailto:a@b.example", "javascript:1", "https://u:p@a.example/", "://", "https://", "ftp://a.example/"},
	} {
		for _, name := range names {
			if got := key(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	if key("https://a.example/p?a=1") == key("https://a.example/p?a=2") || key("http://a.example/") == key("https://a.example/") {
		t.Error("two pages have the same key")
	}
}

func TestAKeyIsStableAndKeepsTheHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SampledFrom([]string{"http://", "https://"}).Draw(t, "scheme") +
			rapid.StringMatching(`[a-z]{1,6}\.(com|org)(:[1-9][0-9]{1,3})?`).Draw(t, "host") +
			rapid.StringMatching(`(/[a-zA-Z0-9%;=._~-]{0,6}){0,5}`).Draw(t, "path") +
			rapid.StringMatching(`(\?([a-z_]{0,5}(=[a-zA-Z0-9%+]{0,5})?&?){0,5})?(#.{0,5})?`).Draw(t, "rest")
		k := key(raw)
		if k == "" {
			return
		}
		if key(k) != k || strings.Contains(k, "#") {
			t.Fatalf("%q has the key %q, which has %q", raw, k, key(k))
		}
		if key(address(raw)) != k {
			t.Fatalf("%q is visited as %q, which is another page than %q", raw, address(raw), k)
		}
		u, err := url.Parse(k)
		if err != nil || u.Hostname() != host(raw) {
			t.Fatalf("%q: %q %v", raw, k, err)
		}
	})
}

func TestTrapsAreSkippedAndCommonSitesAreNot(t *testing.T) {
	traps := trapDetector{}
	for _, bad := range []string{
		"https://a.example/" + strings.Repeat("x", 3000), "https://a.example/a/b/a/b/a/b", "https://a.example/" + strings.Repeat("s/", 3),
		"https://a.example" + strings.Repeat("/1", 30), "no address",
	} {
		if !traps.isTrap(bad) {
			t.Errorf("%.60s is followed", bad)
		}
	}
	for _, good := range []string{"https://a.example/docs/v1/docs/intro", "https://a.example/1/1/1", "https://a.example/blog/2024/05/a-title"} {
		if traps.isTrap(good) {
			t.Errorf("%s counts as a trap", good)
		}
	}
	caught := 0
	for day := range 2000 {
		year, month := 2000+day/12, day%12+1
		for _, address := range []string{"https://a.example/calendar?month=%d-%02d", "https://b.example/events/%d/%02d/"} {
			u := strings.NewReplacer("%d", strconv.Itoa(year), "%02d", strconv.Itoa(100 + month)[1:]).Replace(address)
			if traps.isTrap(u) {
				caught++
			}
		}
	}
	if caught < 3000 {
		t.Errorf("of 4000 months %d are skipped", caught)
	}
	for i := range 500 {
		if traps.isTrap("https://c.example/article/" + strconv.Itoa(i)) {
			t.Fatal("numbered articles count as a trap")
		}
	}
}
