package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// floods opens pages that write to the console without end, in a real box. The
// session must survive each of them.
func floods(t *testing.T, g *gateway) {
	testenv.Heavy(t)
	c := g.curl(t, "operator")
	for _, path := range []string{"flood-tasks", "flood-loop", "flood-workers"} {
		id := c.open("{}")
		at := "/v1/sessions/" + id + "/browser/"
		c.post(at+"navigate", `{"url": "`+g.site+`/lab/`+path+`"}`).object(http.StatusOK)
		testwait.For(t, path+" to be muted", func() bool {
			return strings.Contains(string(c.get(at+"console?limit=1000").body), "left out for a while")
		})
		testwait.For(t, path+" to be left", func() bool { // a first try may use up its time; the next one has a new tab
			return c.post(at+"navigate", `{"url": "`+g.site+`/lab/controls", "timeout": 10000}`).status == http.StatusOK
		})
		if got := c.get(at + "extract?mode=title").object(http.StatusOK); got["text"] != "Controls" {
			t.Errorf("after %s the page is %v", path, got)
		}
		c.post("/v1/sessions/"+id+"/archive", "").object(http.StatusOK)
	}
}
