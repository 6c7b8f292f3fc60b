package stream

import (
	"encoding/json"

	"github.com/pion/webrtc/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// message is a text message of the signaling, in both directions.
type message struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Events of Neko, version 3.
const (
	eventInit            = "system/init"
	eventDisconnect      = "system/disconnect"
	eventHeartbeat       = "system/heartbeat"
	eventClientHeartbeat = "client/heartbeat"
	eventRequest         = "signal/request"
	eventProvide         = "signal/provide"
	eventRestart         = "signal/restart"
	eventOffer           = "signal/offer"
	eventAnswer          = "signal/answer"
	eventCandidate       = "signal/candidate"
	eventClose           = "signal/close"
	eventControlRequest  = "control/request"
	eventControlRelease  = "control/release"
	eventHost            = "control/host"
	eventScreen          = "screen/updated"
	eventClipboardSet    = "clipboard/set"
	eventClipboard       = "clipboard/updated"
	eventPaste           = "control/paste"
)

// Events of our own.
const (
	eventState         = "stream/state"   // to the viewer: action.ViewState
	eventFault         = "stream/error"   // to the viewer: faultPayload
	eventStreamRequest = "stream/request" // from the viewer: {codec}
	eventStreamProvide = "stream/provide" // to the viewer: {codec}; frames follow
	eventStreamAck     = "stream/ack"     // from the viewer: {frames}
	eventStreamKey     = "stream/key"     // from the viewer
	eventStreamClose   = "stream/close"   // both: no more frames
	eventClipboardGet  = "clipboard/get"  // from the viewer
	eventText          = "control/text"   // from the viewer: {text}
)

type screenSize struct {
	ID     string `json:"id,omitempty"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Rate   int    `json:"rate"`
}

type hostPayload struct {
	ID      string `json:"id"`
	HasHost bool   `json:"has_host"`
	HostID  string `json:"host_id,omitempty"`
}

type initPayload struct {
	SessionID  string                 `json:"session_id"`
	Host       hostPayload            `json:"control_host"`
	Screen     screenSize             `json:"screen_size"`
	Sessions   map[string]sessionData `json:"sessions"`
	Settings   settings               `json:"settings"`
	Touch      bool                   `json:"touch_events"`
	Screencast bool                   `json:"screencast_enabled"`
	WebRTC     struct {
		Videos []string `json:"videos"`
	} `json:"webrtc"`
	// Of our own: the codecs for frames over the WebSocket, and whether WebRTC is
	// served.
	Stream struct {
		Codecs []string `json:"codecs"`
		WebRTC bool     `json:"webrtc"`
	} `json:"stream"`
}

type sessionData struct {
	ID      string  `json:"id"`
	Profile profile `json:"profile"`
	State   struct {
		Connected bool `json:"is_connected"`
		Watching  bool `json:"is_watching"`
	} `json:"state"`
}

type profile struct {
	Name      string `json:"name"`
	Admin     bool   `json:"is_admin"`
	Login     bool   `json:"can_login"`
	Connect   bool   `json:"can_connect"`
	Watch     bool   `json:"can_watch"`
	Host      bool   `json:"can_host"`
	Share     bool   `json:"can_share_media"`
	Clipboard bool   `json:"can_access_clipboard"`
	SendsOwn  bool   `json:"sends_inactive_cursor"`
	SeesOwn   bool   `json:"can_see_inactive_cursors"`
}

type settings struct {
	PrivateMode       bool `json:"private_mode"`
	LockedLogins      bool `json:"locked_logins"`
	LockedControls    bool `json:"locked_controls"`
	ControlProtection bool `json:"control_protection"`
	ImplicitHosting   bool `json:"implicit_hosting"`
	InactiveCursors   bool `json:"inactive_cursors"`
	MercifulReconnect bool `json:"merciful_reconnect"`
	HeartbeatInterval int  `json:"heartbeat_interval"` // seconds
}

type videoChoice struct {
	Disabled *bool `json:"disabled,omitempty"`
	Selector *struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"selector,omitempty"`
}

type requestPayload struct {
	Video videoChoice `json:"video"`
}

type providePayload struct {
	SDP        string             `json:"sdp"`
	ICEServers []webrtc.ICEServer `json:"iceservers"`
	Video      struct {
		Disabled bool   `json:"disabled"`
		ID       string `json:"id"`
		Video    string `json:"video"`
		Auto     bool   `json:"auto"`
	} `json:"video"`
	Audio struct {
		Disabled bool `json:"disabled"`
	} `json:"audio"`
}

type sdpPayload struct {
	SDP string `json:"sdp"`
}

type textPayload struct {
	Text string `json:"text"`
}

type releasePayload struct {
	Note string `json:"note"`
}

type disconnectPayload struct {
	Message string `json:"message"`
}

type faultPayload struct {
	Event   string     `json:"event,omitempty"` // that was refused
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// controlPayload has the fields of all control events. Those with a default of
// their own are pointers.
type controlPayload struct {
	X       *int   `json:"x"`
	Y       *int   `json:"y"`
	DeltaX  int    `json:"delta_x"`
	DeltaY  int    `json:"delta_y"`
	Control bool   `json:"control_key"`
	Code    uint32 `json:"code"`
	Keysym  uint32 `json:"keysym"`
	Touch   uint32 `json:"touch_id"`
	Text    string `json:"text"`
}

// read reads the payload of a message. Faults: invalid_request.
func read(m message, into any) error {
	if err := json.Unmarshal(m.Payload, into); err != nil {
		return fault.New(fault.InvalidRequest, "the payload of this message is not valid").Hinted("docs/live.md has its fields").Because(err)
	}
	return nil
}

func hostOf(id string, state action.ViewState) hostPayload {
	host := hostPayload{ID: id, HasHost: state.Holder != "", HostID: state.Holder}
	if state.Mine {
		host.HasHost, host.HostID = true, id
	}
	return host
}
