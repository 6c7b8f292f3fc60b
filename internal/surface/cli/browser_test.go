package cli

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestEmulationFlags(t *testing.T) {
	read := func(args ...string) (*action.Emulation, error) {
		f := pflag.NewFlagSet("start", pflag.ContinueOnError)
		get := emulationFlags(f)
		if err := f.Parse(args); err != nil {
			t.Fatal(err)
		}
		return get()
	}
	if e, err := read(); e != nil || err != nil {
		t.Errorf("nothing was asked for, and it emulates %+v, %v", e, err)
	}
	e, err := read("--locale", "de-DE", "--geolocation", "52.52, 13.405,30", "--touch")
	if err != nil || e.Locale != "de-DE" || !e.Touch || *e.Geolocation != (action.Geolocation{Latitude: 52.52, Longitude: 13.405, Accuracy: 30}) {
		t.Errorf("%+v, %v", e, err)
	}
	for _, place := range []string{"52", "52,", "52;13", "a,b", "1,2,3,4", "1,2,x"} {
		if _, err := read("--geolocation", place); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q is taken: %v", place, err)
		}
	}
}
