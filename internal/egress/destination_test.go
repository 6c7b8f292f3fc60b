package egress

import (
	"strings"
	"testing"
)

// hostile are spellings of hosts that some parser got wrong. If want is empty,
// the spelling must be refused; otherwise want is the host that is checked and
// dialled.
var hostile = []struct{ host, want string }{
	{"127.0.0.1", "127.0.0.1"}, {"127.1", "127.0.0.1"}, {"127.0.1", "127.0.0.1"},
	{"2130706433", "127.0.0.1"}, {"0x7f000001", "127.0.0.1"}, {"0X7F.1", "127.0.0.1"},
	{"0177.0.0.1", "127.0.0.1"}, {"017700000001", "127.0.0.1"}, {"0x7f.0.0.0x1", "127.0.0.1"},
	{"127.0.0.1.", "127.0.0.1"}, {"127.000.000.001", "127.0.0.1"}, {"0", "0.0.0.0"}, {"0x", "0.0.0.0"},
	{"00", "0.0.0.0"}, {"169.254.43518", "169.254.169.254"}, {"0xa9fea9fe", "169.254.169.254"},
	{"2852039166", "169.254.169.254"}, {"0251.0376.0251.0376", "169.254.169.254"},
	{"256.0.0.1", ""}, {"1.2.3.4.5", ""}, {"4294967296", ""}, {"0x100000000", ""}, {"1.2.3.08", ""},
	{"99999999999999999999", ""}, {"1.-1", ""}, {"1.+1", ""}, {"127.0.0.-1", ""}, {"0x7f.-0x1", ""},
	{"127.0.0.1%00", ""}, {"%31%32%37.0.0.1", ""}, {"１２７.0.0.1", ""}, {"127。0。0。1", ""}, {"①②⑦.0.0.1", ""},
	{"[::1]", "::1"}, {"[0:0:0:0:0:0:0:1]", "::1"}, {"[::ffff:127.0.0.1]", "::ffff:7f00:1"},
	{"[::ffff:7f00:1]", "::ffff:7f00:1"}, {"[64:ff9b::7f00:1]", "64:ff9b::7f00:1"}, {"[::1%25lo]", ""}, {"[fe80::1%eth0]", ""},
	{"[::1", ""}, {"::1", ""}, {"[::1]]", ""}, {"[[::1]]", ""}, {"[::127.0.0.1]", "::7f00:1"}, {"[1::2::3]", ""}, {"[]", ""}, {"[v1.x]", ""},
	{"EXAMPLE.com", "example.com"}, {"example.com.", "example.com"}, {"example.com..", ""}, {".example.com", ""},
	{"ex..ample.com", ""}, {"ｅxample.com", "example.com"}, {"example。com", "example.com"}, {"example%2ecom", "example.com"},
	{"exa%6dple.com", "example.com"}, {"exam\u00adple.com", "example.com"}, {"ex\u200bample.com", "example.com"},
	{"bücher.example", "xn--bcher-kva.example"}, {"BÜCHER.example", "xn--bcher-kva.example"},
	{"xn--bcher-kva.example", "xn--bcher-kva.example"}, {"xn--a.example", ""}, {"xn--.example", ""}, {"example.com.xn--", ""}, {"example.com．xn--", ""}, {"example.com%2e", "example.com"}, {"example.com。", "example.com"},
	{"exam\x00ple.com", ""}, {"exam%00ple.com", ""}, {"exam\rple.com", ""}, {"exam\nple.com", ""}, {"exam\tple.com", ""},
	{"exam ple.com", ""}, {"exam%20ple.com", ""}, {"example.com\x7f", ""}, {"exam%0d%0aple.com", ""}, {"exam|ple.com", ""},
	{"exam<ple.com", ""}, {"exam^ple.com", ""}, {"exam%25ple.com", ""}, {"exam%2fple.com", ""}, {"exam%40ple.com", ""},
	{"exam%5cple.com", ""}, {"exam%3aple.com", ""}, {"*.example.com", ""}, {"exam!ple.com", ""}, {"exam$ple.com", ""},
	{"-example.com", ""}, {"example-.com", ""}, {"a_b.example.com", "a_b.example.com"}, {"\xff.example.com", ""}, {"", "path"}, {".", ""},
	{"user@example.com", ""}, {"user:pw@example.com", ""}, {"@example.com", ""}, {":@example.com", ""}, {"allowed.com%40evil.com", ""},
	{"allowed.com@evil.com", ""}, {"evil.com#@allowed.com", "evil.com"}, {"evil.com\\@allowed.com", "evil.com"}, {"evil.com?@allowed.com", "evil.com"},
	{strings.Repeat("a", 64) + ".com", ""}, {strings.Repeat("a.", 127) + "com", ""}, {"localhost", "localhost"}, {"LOCALHOST.", "localhost"},
}

func TestHostileSpellingsBecomeCanonicalOrAreRefused(t *testing.T) {
	if len(hostile) < 60 {
		t.Fatalf("only %d spellings", len(hostile))
	}
	for _, h := range hostile {
		p, err := parseDestination("http://" + h.host + "/path")
		if h.want == "" && err == nil {
			t.Errorf("%q is read as %q, want it refused", h.host, p.host)
		}
		if h.want != "" && (err != nil || p.host != h.want) {
			t.Errorf("%q is read as %q (%v), want %q", h.host, p.host, err, h.want)
		}
	}
}

func TestOnlyCanonicalSpellingsAreDialled(t *testing.T) {
	for _, h := range hostile {
		p, err := parseAuthority("http", h.host)
		canonical := strings.TrimSuffix(strings.ToLower(h.host), ".")
		if err == nil && strings.Trim(canonical, "[]") != p.host {
			t.Errorf("authority %q is read as %q, want it refused", h.host, p.host)
		}
	}
}

func TestAddressesAreParsedCompletely(t *testing.T) {
	for _, c := range []struct {
		raw, url, authority, site string
		err                       error
	}{
		{"https://Shop.Example.co.uk/a?b#c", "https://shop.example.co.uk/a?b#c", "shop.example.co.uk:443", "example.co.uk", nil},
		{"http://example.com:8080", "http://example.com:8080/", "example.com:8080", "example.com", nil},
		{"https://example.com:443/", "https://example.com/", "example.com:443", "example.com", nil},
		{"https://github.io/", "https://github.io/", "github.io:443", "github.io", nil},
		{"http:\\\\example.com\\x", "http://example.com/x", "example.com:80", "example.com", nil},
		{"http://[2606:4700::1111]/", "http://[2606:4700::1111]/", "[2606:4700::1111]:80", "2606:4700::1111", nil},
		{"ftp://example.com/", "", "", "", badScheme},
		{"file:///etc/passwd", "", "", "", badScheme},
		{"javascript:alert(1)", "", "", "", badScheme},
		{"data:text/html,x", "", "", "", badScheme},
		{"ws://example.com/", "", "", "", badScheme},
		{"//example.com/", "", "", "", badURL},
		{"example.com", "", "", "", badURL},
		{"http://example.com:0/", "", "", "", badURL},
		{"http://example.com:65536/", "", "", "", badURL},
		{"http://example.com:8o/", "", "", "", badURL},
		{"http://a:b@example.com/", "", "", "", userInfo},
		{"http://" + strings.Repeat("a", maxURL), "", "", "", badURL},
	} {
		p, err := parseDestination(c.raw)
		if err != c.err {
			t.Errorf("%.60q: error %v, want %v", c.raw, err, c.err)
			continue
		}
		if err == nil && (p.url != c.url || p.authority() != c.authority || p.site() != c.site) {
			t.Errorf("%q is %+v authority %s site %s", c.raw, p, p.authority(), p.site())
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, h := range hostile {
		f.Add("http://" + h.host + "/x?y#z")
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := parseDestination(raw)
		if err != nil {
			return
		}
		again, err := parseDestination(p.url)
		if err != nil || again.host != p.host || again.port != p.port || again.scheme != p.scheme {
			t.Fatalf("%q is %+v, and read again %+v (%v)", raw, p, again, err)
		}
		dialled, err := parseAuthority(p.scheme, p.authority())
		if err != nil || dialled.authority() != p.authority() {
			t.Fatalf("%q is judged as %s and dialled as %s (%v)", raw, p.authority(), dialled.authority(), err)
		}
		if !p.addr.IsValid() && !isName(p.host) {
			t.Fatalf("%q gives host %q", raw, p.host)
		}
	})
}
