package browsertest_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestChromiumAnswersOverThePipe(t *testing.T) {
	c := browsertest.For(t)
	conn := cdp.Open(c.Transport(), 0, func(cdp.Event) {})
	ctx := testwait.Context(t)
	var version struct{ Product string }
	if err := conn.Root().Call(ctx, "Browser.getVersion", nil, &version); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(version.Product, "Chrome/") {
		t.Errorf("product %q", version.Product)
	}
	if err := conn.Root().Call(ctx, "No.such", nil, nil); err == nil {
		t.Error("an unknown method was accepted")
	}
	c.Stop()
	select {
	case <-conn.Done():
	case <-ctx.Done():
		t.Error("the connection outlives the browser")
	}
	if err := conn.Root().Call(ctx, "Browser.getVersion", nil, nil); err == nil {
		t.Error("a call on a dead connection succeeded")
	}
}
