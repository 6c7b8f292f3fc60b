package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
)

// strips are where /still shows one text, by what shows it.
var strips = map[string]int{"a text": leaksite.ShotY, "a password field": leaksite.FieldY, "a field": 200, "a closed shadow root": 280}

// pictures compares screenshots of pages that differ in one text only: where
// secrets are masked they are the same, and where another text stands they are
// not.
func (l *leak) pictures(t *testing.T) {
	for _, role := range []string{"agent", "viewer"} {
		for _, how := range []string{"", "?fullPage=true", "?labels=true", "?selector=body"} {
			one, other := l.shot(t, role, how, leaksite.Session, ""), l.shot(t, role, how, leaksite.Bearer, "")
			for what, y := range strips {
				if !same(one, other, y) {
					t.Errorf("a %s sees %s in a screenshot%s: two secrets look different", role, what, how)
				}
			}
			secret := l.canaries[leaksite.Session]
			one, other = l.shot(t, role, how, leaksite.Beacon, strings.Repeat("a", len(secret))), l.shot(t, role, how, leaksite.Beacon, strings.Repeat("b", len(secret)))
			if same(one, other, strips["a text"]) || same(one, other, strips["a field"]) {
				t.Errorf("a %s cannot tell what is no secret in a screenshot%s", role, how)
			}
			if !same(one, other, strips["a password field"]) {
				t.Errorf("a %s sees what is in a password field in a screenshot%s", role, how)
			}
		}
	}
	l.printed(t)
}

// shot takes a screenshot of a page that shows a secret, or a title in its
// place.
func (l *leak) shot(t *testing.T, role, how, kind, title string) image.Image {
	t.Helper()
	l.show(t, "/still?kind="+url.QueryEscape(kind)+"&title="+title)
	got := l.as(t, role).get(l.at("/screenshot") + how)
	l.clean(t, got)
	picture, err := png.Decode(bytes.NewReader(got.body))
	if err != nil {
		t.Fatalf("%s: %d %v %.200q", got.what, got.status, err, got.body)
	}
	return picture
}

// same reports whether two pictures have the same pixels in a strip.
func same(a, b image.Image, y int) bool {
	for at := range leaksite.ShotWidth * leaksite.ShotHeight {
		x, y := leaksite.ShotX+at%leaksite.ShotWidth, y+at/leaksite.ShotWidth
		if a.At(x, y) != b.At(x, y) {
			return false
		}
	}
	return true
}

// printed wants no PDF for agents of a page that shows secrets, and one of a
// page that shows none.
func (l *leak) printed(t *testing.T) {
	t.Helper()
	for _, role := range []string{"agent", "viewer"} {
		c := l.as(t, role)
		for _, path := range []string{"/shown", "/still?kind=" + url.QueryEscape(leaksite.Plain), "/mirror?form=base64-1", "/mirror?form=halves"} {
			l.show(t, path)
			got := c.get(l.at("/pdf"))
			if l.clean(t, got); got.status == http.StatusOK {
				t.Errorf("a %s prints %s, which shows secrets", role, path)
			}
		}
		l.show(t, "/")
		if got := c.get(l.at("/pdf")); got.status != http.StatusOK || !bytes.HasPrefix(got.body, []byte("%PDF")) {
			t.Errorf("a %s cannot print a page without secrets: %s", role, fmt.Sprintf("%d %.200q", got.status, got.body))
		}
	}
}
