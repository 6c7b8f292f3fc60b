package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// browserCommands start and stop the browser of a session.
type browserCommands struct{ *environment }

func (cmd browserCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "browser", Short: "Start, stop and describe the browser", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.start(),
		cmd.verb("stop", action.VerbBrowserStop.Name, "browser stop"), cmd.verb("status", action.VerbBrowserStatus.Name, "browser status"))
	return []*cobra.Command{group, cmd.verb("status", action.VerbBrowserStatus.Name, "status")}
}

func (cmd browserCommands) start() *cobra.Command {
	var call action.BrowserStart
	var headless bool
	c := verb(action.VerbBrowserStart.Name, "start", "glovebox browser start --profile work --open https://app.example.com/")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&call.URL, "open", "", "URL to navigate to first")
	f.IntVar(&call.Width, "width", 0, "pixels (default 1280)")
	f.IntVar(&call.Height, "height", 0, "pixels (default 720)")
	f.IntVar(&call.DPI, "dpi", 0, "dots per inch (default 96)")
	f.BoolVar(&headless, "headless", false, "no display")
	f.StringVar(&call.Context, "profile", "", "profile to use, by id or name")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("headless") {
			call.Headless = &headless
		}
		return cmd.call(c.Context(), action.VerbBrowserStart.Name, &call, cmd.show)
	}
	return c
}

func (cmd browserCommands) verb(use, name, command string) *cobra.Command {
	c := verb(name, use+" [<session>]", "glovebox "+command+"\nglovebox "+command+" invoices --json")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		cmd.target = first(append(args, cmd.target)...)
		return cmd.call(c.Context(), name, &action.None{}, cmd.show)
	}
	return c
}

func (cmd browserCommands) show(result action.Result) {
	s, ok := result.Data.(*action.BrowserStatus)
	if !ok {
		return
	}
	cmd.facts(func(row func(name, value string)) {
		row("browser", frozen(s.State, s.Frozen))
		row("session", s.Session)
		row("profile", s.Context)
		row("page", s.URL)
		row("protocol", s.CDPURL)
		if s.Resolution != nil {
			row("display", strings.TrimSpace(fmt.Sprintf("%s %d × %d at %d dpi", s.Display, s.Resolution.Width, s.Resolution.Height, s.Resolution.DPI)))
		}
		for _, p := range s.Processes {
			state := "ended"
			if p.Running {
				state = fmt.Sprintf("runs as %d", p.PID)
			}
			row(clean(p.Name), state)
		}
		if s.LastError != nil {
			row("error", s.LastError.Code+": "+s.LastError.Message)
		}
		row("missing", strings.Join(s.Missing, ", "))
		row("repair", s.InstallCommand)
	})
}

// emulationFlags adds the flags for the language, place and device that pages see.
// It returns what reads them: nil where none was given.
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

func (cmd pageCommands) resize() *cobra.Command {
	c := verb(action.VerbPageResize.Name, "resize <width> <height>", "glovebox resize 390 844")
	c.Long = c.Short + ", in CSS pixels, for the tabs there are and those to come."
	c.Args = between(2, 2)
	c.RunE = func(c *cobra.Command, args []string) error {
		width, err := strconv.Atoi(args[0])
		if err != nil {
			return usage(fmt.Errorf("want a width in CSS pixels, not %q", args[0]))
		}
		height, err := strconv.Atoi(args[1])
		if err != nil {
			return usage(fmt.Errorf("want a height in CSS pixels, not %q", args[1]))
		}
		return cmd.call(c.Context(), action.VerbPageResize.Name, &action.Resize{Width: width, Height: height}, func(action.Result) { cmd.printf("done\n") })
	}
	return c
}
