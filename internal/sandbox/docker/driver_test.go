package docker_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
)

func TestDriverKeepsTheContract(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Open {
		o := options(t)
		open(t, o) // stops remaining boxes when the test ends
		return func(t *testing.T) (sandbox.Driver, func()) {
			d, err := docker.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return d, func() {
				if err := d.Close(); err != nil {
					t.Errorf("cannot close: %v", err)
				}
			}
		}
	})
}
