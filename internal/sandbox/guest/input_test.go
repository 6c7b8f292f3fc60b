package guest_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
)

// serveKeys answers a proxy's connection with a page that counts what it gets.
func serveKeys(c net.Conn) {
	defer func() { _ = c.Close() }()
	const page = `<!doctype html><body style="margin:0"><button style="width:800px;height:500px" onclick="document.title = 'came'">Go</button>`
	for in := bufio.NewReader(c); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_ = r.Body.Close()
		if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(page), page); err != nil {
			return
		}
	}
}

// A client of the protocol may press something as soon as a navigation is
// answered: the browser of a box takes what comes before its first frame.
func TestInputRightAfterANavigationIsTaken(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Headless = false }, func(o *bridge.LinkOptions) { o.Egress = serveKeys })
	b.ready()
	s := b.cdp()
	at := attach(t, s)
	call(t, s, 200, at+method("Page.enable"), "{}")
	const times = 60
	lost := 0
	for n := range times {
		id := 1000 + 10*n
		call(t, s, id, at+method("Page.navigate"), fmt.Sprintf(`{"url":"http://site-%d.test/"}`, n%2))
		call(t, s, id+7, at+method("Runtime.evaluate"), `{"awaitPromise":true,"expression":"new Promise(done => document.readyState === 'loading' ? addEventListener('DOMContentLoaded', done) : done())"}`)
		for i, kind := range []string{"mousePressed", "mouseReleased"} {
			call(t, s, id+1+i, at+method("Input.dispatchMouseEvent"), `{"type":"`+kind+`","x":100,"y":100,"button":"left","clickCount":1}`)
		}
		if got := call(t, s, id+5, at+method("Runtime.evaluate"), `{"expression":"document.title","returnByValue":true}`); !strings.Contains(string(got), `"came"`) {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d clicks were lost", lost, times)
	}
}
