package stream

import (
	"slices"
	"strings"

	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// codec is how frames of a codec are sent by WebRTC.
type codec struct {
	name       string
	payload    webrtc.PayloadType
	again      string // format parameters of packets that are sent again (RFC 4588)
	capability webrtc.RTPCodecCapability
	payloader  func() rtp.Payloader
}

var feedback = []webrtc.RTCPFeedback{{Type: "goog-remb"}, {Type: "ccm", Parameter: "fir"}, {Type: "nack"}, {Type: "nack", Parameter: "pli"}}

var codecsOfRTP = []codec{
	{
		name: action.CodecVP8, payload: 96, again: "apt=96",
		capability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: clockRate, RTCPFeedback: feedback},
		// Without picture ids: pion's first frame has none while the next ones have, and
		// browsers then wait for a second key frame, which they ask for after 3 seconds.
		payloader: func() rtp.Payloader { return &codecs.VP8Payloader{} },
	},
	{
		name: action.CodecH264, payload: 102, again: "apt=102",
		capability: webrtc.RTPCodecCapability{
			MimeType: webrtc.MimeTypeH264, ClockRate: clockRate, RTCPFeedback: feedback,
			SDPFmtpLine: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
		},
		payloader: func() rtp.Payloader { return &codecs.H264Payloader{} },
	},
}

// chooseRTP returns the codec that a viewer asks for by name. An empty name means
// the first codec that the session can make. It returns false if there is none.
func chooseRTP(name string, made []string) (codec, bool) {
	for _, c := range codecsOfRTP {
		if slices.Contains(made, c.name) && (name == "" || strings.EqualFold(name, c.name)) {
			return c, true
		}
	}
	return codec{}, false
}

// rtpNames returns the codecs of a session that can be sent by WebRTC.
func rtpNames(made []string) []string {
	names := []string{}
	for _, c := range codecsOfRTP {
		if slices.Contains(made, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}
