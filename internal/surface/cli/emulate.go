package cli

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// emulationFlags adds the flags that say what pages are told of the person, the
// place and the device, and returns what reads them: nil where none was given.
func emulationFlags(f *pflag.FlagSet) func() (*action.Emulation, error) {
	var e action.Emulation
	var place string
	f.StringVar(&e.Locale, "locale", "", "language of pages and of Accept-Language, as de-DE")
	f.StringVar(&e.Timezone, "timezone", "", "time zone of pages, as Europe/Berlin")
	f.StringVar(&e.UserAgent, "user-agent", "", "what the browser calls itself")
	f.StringVar(&e.ColorScheme, "color-scheme", "", "light, dark or no-preference")
	f.StringVar(&e.ReducedMotion, "reduced-motion", "", "reduce or no-preference")
	f.StringVar(&place, "geolocation", "", "where the device is: latitude,longitude in degrees, and the accuracy in metres after another comma")
	f.StringVar(&e.Device, "device", "", "desktop, phone or tablet: size, user agent and touch")
	f.BoolVar(&e.Touch, "touch", false, "pages see a touch screen")
	return func() (*action.Emulation, error) {
		if place != "" {
			var err error
			if e.Geolocation, err = geolocation(place); err != nil {
				return nil, err
			}
		}
		if reflect.ValueOf(e).IsZero() {
			return nil, nil
		}
		return &e, nil
	}
}

func geolocation(text string) (*action.Geolocation, error) {
	var numbers []float64
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	if n := strings.Count(text, ",") + 1; n != len(numbers) || n < 2 || n > 3 {
		return nil, fault.New(fault.InvalidRequest, "--geolocation: %q is no place", text).Hinted("give latitude,longitude in degrees, as --geolocation 52.52,13.405")
	}
	g := &action.Geolocation{Latitude: numbers[0], Longitude: numbers[1]}
	if len(numbers) == 3 {
		g.Accuracy = numbers[2]
	}
	return g, nil
}
