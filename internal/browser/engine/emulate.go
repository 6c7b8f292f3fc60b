package engine

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// version is the browser's answer to Browser.getVersion.
type version struct {
	Product   string `json:"product"` // "Chrome/150.0.7871.124"
	UserAgent string `json:"userAgent"`
}

// number is the version's number, major is its first part.
func (v version) number() string {
	_, number, _ := strings.Cut(v.Product, "/")
	return number
}

func (v version) major() string {
	major, _, _ := strings.Cut(v.number(), ".")
	return major
}

// brand is an entry of the client hints about a user agent.
type brand struct {
	Brand   string `json:"brand"`
	Version string `json:"version"`
}

// clientHints is userAgentMetadata of Emulation.setUserAgentOverride. Without it
// pages get no client hints.
type clientHints struct {
	Brands       []brand `json:"brands"`
	FullVersions []brand `json:"fullVersionList"`
	Platform     string  `json:"platform"`
	Version      string  `json:"platformVersion"`
	Architecture string  `json:"architecture"`
	Model        string  `json:"model"`
	Mobile       bool    `json:"mobile"`
}

// command is a call of the protocol.
type command struct {
	method string
	params any
}

// emulating returns the calls that make a target emulate what the options say.
func (o Options) emulating(kind string, v version) []command {
	e := o.Emulate
	var all []command
	if e.UserAgent != "" || e.Locale != "" || o.mobile() {
		all = append(all, command{"Emulation.setUserAgentOverride", o.identity(v)})
	}
	if e.Locale != "" {
		all = append(all, command{"Emulation.setLocaleOverride", map[string]string{"locale": e.Locale}})
	}
	if e.Timezone != "" {
		all = append(all, command{"Emulation.setTimezoneOverride", map[string]string{"timezoneId": e.Timezone}})
	}
	if kind != "page" {
		return all
	}
	if features := mediaFeatures(e); len(features) > 0 {
		all = append(all, command{"Emulation.setEmulatedMedia", map[string]any{"features": features}})
	}
	if g := e.Geolocation; g != nil {
		place := map[string]float64{"latitude": g.Latitude, "longitude": g.Longitude, "accuracy": cmp.Or(g.Accuracy, 10)}
		all = append(all, command{"Emulation.setGeolocationOverride", place})
	}
	if e.Touch || o.mobile() {
		all = append(all, command{"Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true, "maxTouchPoints": 5}})
	}
	return all
}

func (o Options) mobile() bool { return action.Devices[o.Emulate.Device].Mobile }

func mediaFeatures(e action.Emulation) (features []map[string]string) {
	for name, value := range map[string]string{"prefers-color-scheme": e.ColorScheme, "prefers-reduced-motion": e.ReducedMotion} {
		if value != "" {
			features = append(features, map[string]string{"name": name, "value": value})
		}
	}
	return features
}

// userAgent returns the user agent that pages see.
func (o Options) userAgent(v version) string {
	own := v.UserAgent
	if o.mobile() {
		own = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + v.major() + ".0.0.0"
		if o.Emulate.Device == "phone" {
			own += " Mobile"
		}
		own += " Safari/537.36"
	}
	return cmp.Or(o.Emulate.UserAgent, own)
}

// identity returns the parameters of Emulation.setUserAgentOverride.
func (o Options) identity(v version) map[string]any {
	hints := clientHints{
		Brands:       []brand{{"Chromium", v.major()}, {"Not A(Brand", "24"}},
		FullVersions: []brand{{"Chromium", v.number()}, {"Not A(Brand", "24.0.0.0"}},
		Platform:     "Linux", Architecture: "x86", Mobile: o.mobile(),
	}
	platform := "Linux x86_64"
	if o.mobile() {
		hints.Platform, hints.Architecture, platform = "Android", "", "Linux armv81"
	}
	said := map[string]any{"userAgent": o.userAgent(v), "platform": platform, "userAgentMetadata": hints}
	if locale := o.Emulate.Locale; locale != "" {
		said["acceptLanguage"] = locale
	}
	return said
}

// emulateAgain makes open tabs emulate what the options say, if that has changed.
func (ts *targets) emulateAgain(s *state, before action.Emulation) {
	if reflect.DeepEqual(before, s.options.Emulate) {
		return
	}
	ts.permit(s)
	for _, t := range s.tabs {
		for _, each := range s.options.emulating(t.main.kind, s.version) {
			t.main.session.Send(each.method, each.params)
		}
	}
}

// unanswered are the permissions about which a window of the browser would ask, where nobody
// can answer.
var unanswered = []map[string]any{
	{"name": "camera"}, {"name": "clipboard-read"}, {"name": "idle-detection"}, {"name": "local-fonts"}, {"name": "microphone"},
	{"name": "midi"}, {"name": "midi", "sysex": true}, {"name": "window-management"},
}

// refusePrompts refuses them. Clients of the protocol may grant them afterwards.
func (ts *targets) refusePrompts(s *state) {
	for _, permission := range unanswered {
		ts.setPermission(s, permission, "denied")
	}
}

// permit lets pages read the device's position, if the options name one.
func (ts *targets) permit(s *state) {
	if s.options.Emulate.Geolocation != nil {
		ts.setPermission(s, map[string]any{"name": "geolocation"}, "granted")
	}
}

func (ts *targets) setPermission(s *state, permission map[string]any, setting string) {
	ts.root.Send("Browser.setPermission", s.inContext(map[string]any{"permission": permission, "setting": setting}))
}

// resize changes the viewport of all tabs, also of later ones, and waits until the
// active tab has it.
func (ts *targets) resize(ctx context.Context, t *tab, a *action.Resize, _ action.Pin) (any, error) {
	var size metrics
	var others []*cdp.Session
	ts.state.Do(func(s *state) {
		s.options.Width, s.options.Height = a.Width, a.Height
		size = s.options.metrics()
		for _, other := range s.tabs {
			if other != t {
				others = append(others, other.main.session)
			}
		}
	})
	for _, s := range others {
		s.Send("Emulation.setDeviceMetricsOverride", size)
	}
	if err := t.main.session.Call(ctx, "Emulation.setDeviceMetricsOverride", size, nil); err != nil {
		return nil, err
	}
	return &action.Resized{OK: true, Width: a.Width, Height: a.Height}, nil
}
