package action

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The verbs of this file.
var (
	VerbBrowserStart  = Define[BrowserStart, BrowserStatus](Verb{Name: "browser.start", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/browser/start", Command: "browser start", Summary: "Start a browser, where none is open yet"})
	VerbBrowserStop   = Define[None, BrowserStatus](Verb{Name: "browser.stop", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/browser/stop", Command: "browser stop", Summary: "Stop the browser: closes its session"})
	VerbBrowserStatus = Define[None, BrowserStatus](Verb{Name: "browser.status", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/status", Command: "browser status", Summary: "Say how the browser is"})
)

// BrowserStart asks for a browser. A session is started if none is open.
type BrowserStart struct {
	Width     int    `json:"width,omitempty" minimum:"0" maximum:"3840" default:"1280" doc:"CSS pixels; 1280 when 0"`
	Height    int    `json:"height,omitempty" minimum:"0" maximum:"2160" default:"720" doc:"CSS pixels; 720 when 0"`
	DPI       int    `json:"dpi,omitempty" minimum:"0" maximum:"384" default:"96" doc:"96 when 0"`
	URL       string `json:"url,omitempty" maxLength:"8192" doc:"Navigate there first; about:blank when empty"`
	Headless  *bool  `json:"headless,omitempty" doc:"No display: no live view; false when absent"`
	Context   string `json:"contextId,omitempty" maxLength:"64" doc:"Profile to use, by id or name"`
	Video     string `json:"streamVideoCodec,omitempty" enum:"vp8,vp9,h264" doc:"vp8 when empty; there is no streaming yet"`
	Audio     string `json:"streamAudioCodec,omitempty" enum:"opus,g722" doc:"opus when empty; there is no streaming yet"`
	FrameRate *int   `json:"streamFrameRate,omitempty" minimum:"1" maximum:"60" doc:"Per second, 30 when absent; there is no streaming yet"`
	PortRange string `json:"webrtcPortRange,omitempty" pattern:"^[1-9][0-9]{0,4}-[1-9][0-9]{0,4}$" doc:"UDP ports, low-high; there is no streaming yet" example:"59050-59070"`
	RecordFPS *int   `json:"recordingFps,omitempty" minimum:"1" maximum:"60" doc:"Frames per second, 30 when absent; there is no recording yet"`
}

// Sound refuses an invalid range of ports.
func (b *BrowserStart) Sound() error {
	low, high, given := strings.Cut(b.PortRange, "-")
	if !given {
		return nil
	}
	from, errFrom := strconv.Atoi(low)
	to, errTo := strconv.Atoi(high)
	if errFrom != nil || errTo != nil || from > to || to > 65535 {
		return invalid("webrtcPortRange", "must be low-high, of ports up to 65535").Hinted("59050-59070 is the default")
	}
	return nil
}

// Streams reports whether the call has options for streaming or recording.
func (b *BrowserStart) Streams() bool {
	return b.Video != "" || b.Audio != "" || b.FrameRate != nil || b.PortRange != "" || b.RecordFPS != nil
}

// The states of a browser, as browser.status says them.
const (
	BrowserActive          = "active"
	BrowserStarting        = "starting"
	BrowserStopping        = "stopping"
	BrowserInactive        = "inactive"
	BrowserInstallRequired = "install_required" // no engine, or no image: InstallCommand says what to do
	BrowserFailed          = "failed"
)

// BrowserStatus is the state of a session's browser.
type BrowserStatus struct {
	State          string           `json:"state" enum:"active,starting,stopping,inactive,install_required,failed"`
	Frozen         bool             `json:"frozen,omitempty"` // it is frozen because nobody uses it; the next call thaws it
	Session        string           `json:"session,omitempty"`
	Context        string           `json:"contextId,omitempty"` // the profile it uses
	Display        string           `json:"display,omitempty"`   // of X, inside the box
	Resolution     *Resolution      `json:"resolution,omitempty"`
	StartedAt      *time.Time       `json:"startedAt,omitempty"`
	CDPURL         string           `json:"cdpUrl,omitempty"` // below the address that was called
	URL            string           `json:"url,omitempty"`
	Missing        []string         `json:"missingDependencies"`
	InstallCommand string           `json:"installCommand,omitempty"`
	Processes      []BrowserProcess `json:"processes"`
	Log            []string         `json:"log,omitempty"` // the browser's last lines, for operators
	LastError      *ErrorNote       `json:"lastError,omitempty"`
}

// Resolution is the size of a display.
type Resolution struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	DPI    int `json:"dpi,omitempty"`
}

// BrowserProcess is one process inside a box.
type BrowserProcess struct {
	Name    string `json:"name"`
	PID     int    `json:"pid,omitempty"` // as the box counts them
	Running bool   `json:"running"`
	Log     string `json:"log,omitempty"` // where its log is: a JSON pointer into this answer, since a box keeps no log file
}

// ErrorNote is an earlier fault.
type ErrorNote struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Destination is the first page of the session.
func (a *BrowserStart) Destination() string { return a.URL }

// Subject is the profile that the session uses.
func (a *BrowserStart) Subject() string { return profileSubject(a.Context) }
