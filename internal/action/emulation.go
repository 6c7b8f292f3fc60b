package action

import (
	"fmt"
	"time"
	_ "time/tzdata" // names of time zones are checked where the machine has none
)

// Emulation is what pages learn about the person, the place and the device
// behind a browser. Empty fields keep the values of the browser.
type Emulation struct {
	Locale        string       `json:"locale,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"Language tag of scripts, formats and Accept-Language" example:"de-DE"`
	Timezone      string       `json:"timezone,omitempty" maxLength:"64" doc:"Name of the IANA time zone database" example:"Europe/Berlin"`
	UserAgent     string       `json:"userAgent,omitempty" maxLength:"512" pattern:"^[ -~]*$" doc:"What the browser calls itself; the device's when empty"`
	ColorScheme   string       `json:"colorScheme,omitempty" enum:"light,dark,no-preference" doc:"The media feature prefers-color-scheme"`
	ReducedMotion string       `json:"reducedMotion,omitempty" enum:"reduce,no-preference" doc:"The media feature prefers-reduced-motion"`
	Geolocation   *Geolocation `json:"geolocation,omitempty" doc:"Where the device is; pages may ask for it then"`
	Device        string       `json:"device,omitempty" enum:"desktop,phone,tablet" doc:"Size, pixel density, user agent, touch and mobile layout of such a device; width, height and dpi win where they are given"`
	Touch         bool         `json:"touch,omitempty" doc:"Pages see a touch screen"`
}

// Geolocation is a position in degrees, with its accuracy in metres.
type Geolocation struct {
	Latitude  float64 `json:"latitude" minimum:"-90" maximum:"90" doc:"Degrees north" example:"52.52"`
	Longitude float64 `json:"longitude" minimum:"-180" maximum:"180" doc:"Degrees east" example:"13.405"`
	Accuracy  float64 `json:"accuracy,omitempty" minimum:"0" maximum:"100000" default:"10" doc:"Metres; 10 when 0"`
}

// Device is a kind of device: its screen, and whether it is mobile.
type Device struct {
	Width, Height, DPI int // CSS pixels; 96 dpi is one device pixel for each
	Mobile             bool
}

// Devices are the kinds of device that Emulation.Device may name. The sizes are
// common ones of 2026: a 6.7 inch phone, an 11 inch tablet.
var Devices = map[string]Device{
	"desktop": {Width: 1280, Height: 720, DPI: 96},
	"phone":   {Width: 412, Height: 915, DPI: 252, Mobile: true},
	"tablet":  {Width: 800, Height: 1280, DPI: 192, Mobile: true},
}

// Value returns *e; the zero Emulation if e is nil.
func (e *Emulation) Value() Emulation {
	if e == nil {
		return Emulation{}
	}
	return *e
}

// Sound refuses a time zone that does not exist.
func (e *Emulation) Sound() error {
	if e.Timezone == "" {
		return nil
	}
	if _, err := time.LoadLocation(e.Timezone); err != nil || e.Timezone == "Local" {
		return invalid("timezone", fmt.Sprintf("%q is no time zone", e.Timezone)).Hinted("give a name of the IANA time zone database, such as Europe/Berlin")
	}
	return nil
}
