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

// serveButton answers the requests on a connection to the proxy with a page that
// changes its title when it is clicked.
func serveButton(c net.Conn) {
	defer func() { _ = c.Close() }()
	const page = `<!doctype html><body style="margin:0"><button style="width:800px;height:500px" onclick="document.title = 'clicked'">Go</button>`
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

// A client may send input as soon as its navigation is answered. The browser must
// accept input before the first frame of the document.
func TestClicksRightAfterNavigationAreNotLost(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Headless = false }, func(o *bridge.LinkOptions) { o.Egress = serveButton })
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
		if got := call(t, s, id+5, at+method("Runtime.evaluate"), `{"expression":"document.title","returnByValue":true}`); !strings.Contains(string(got), `"clicked"`) {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d clicks were lost", lost, times)
	}
}
