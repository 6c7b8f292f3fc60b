package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/golden"
)

// TestNetworkPageListsTheWays checks that docs/network.md lists the tested ways.
func TestNetworkPageListsTheWays(t *testing.T) {
	golden.Part(t, "../docs/network.md", "ways", table())
}

// table lists every way: where it is tried, what stops it, and where it arrives
// if nothing stops it.
func table() string {
	var b strings.Builder
	row := func(who, what, stop, control string) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", who, strings.ReplaceAll(what, "|", `\|`), stop, control)
	}
	shown := map[string]string{everywhere: "proxy", unwalled: "bare"}
	row("who", "way", "stopped by", "arrives")
	row("---", "---", "---", "---")
	for _, w := range pageWays() {
		row("page", w.what, w.stop, shown[w.control])
	}
	row("page, agent", fmt.Sprintf("%d spellings of addresses and schemes that are none of the web's, such as `http://0177.0.0.1/`", len(spellings(80, "gateway", "own"))), byGate, "")
	row("client of the protocol", "a browser context with a proxy of its own, or around it", byGate, "")
	for _, a := range direct {
		row("process", a.what, a.stop, "")
	}
	for _, a := range proxied {
		row("process", "through the proxy: "+a.what, a.stop, "")
	}
	return b.String()
}
