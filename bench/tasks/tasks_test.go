package tasks

import (
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/person"
	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }

func TestEveryTaskIsDoneWithGlovebox(t *testing.T) {
	testenv.Require(t, testenv.Engine)
	h := openSiteServer(t)
	server := peer.Start(t, peer.Glovebox, h.address, h.far)
	w := newWorker(server, h, person.Open(t, server))
	for _, site := range sites.All() {
		t.Run(site.Name, func(t *testing.T) {
			o := w.Do(t.Context(), site, 1)
			t.Logf("%d calls, %d tokens, %s", o.Calls, o.Tokens, o.Took)
			if o.Err != nil {
				t.Error(o.Err)
			}
		})
	}
}
