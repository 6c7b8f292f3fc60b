package tasks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
)

// probing: LOOK="site,site"
func TestLook(t *testing.T) {
	h := openHouse(t)
	kind := peer.Glovebox
	if os.Getenv("KIND") != "" {
		kind = peer.Kind(os.Getenv("KIND"))
	}
	server := peer.Start(t, kind, h.address, h.far)
	for _, name := range strings.Split(os.Getenv("LOOK"), ",") {
		site, _ := sites.Named(name)
		run := h.begin(site, "look"+name, 1)
		g := handsOf(t.Context(), server)
		g.open(h.address + run.Path)
		g.look()
		fmt.Println("=====", name, run.Goal, "\n", g.said())
		for _, v := range run.Told {
			g.find(v)
			fmt.Println("-- find", v, "\n", g.said())
		}
	}
}
