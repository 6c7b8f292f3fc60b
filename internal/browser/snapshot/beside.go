package snapshot

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// rows are what lists and tables consist of: what is found in one is acted on
// by what else is in it.
var rows = map[string]bool{"row": true, "listitem": true, "article": true}

const mostBeside = 6 // controls of one row: a row that has more is better shown by a snapshot

// beside adds what can be acted on in a row, but for what has the reference but.
func beside(row *action.Node, but string, found []string) []string {
	for _, n := range row.Children {
		if n.Ref != "" && n.Ref != but && len(found) < mostBeside {
			found = append(found, strings.TrimSpace(n.Role+" "+titled(n))+" ["+n.Ref+"]")
		}
		found = beside(n, but, found)
	}
	return found
}
