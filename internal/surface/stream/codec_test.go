package stream

import (
	"testing"

	"github.com/pion/rtp/codecs"
)

// TestAllVP8FramesAreDescribedAlike: a browser orders frames by picture ids or by
// sequence numbers. When a later frame is described otherwise than the first, it shows
// nothing until the next key frame.
func TestAllVP8FramesAreDescribedAlike(t *testing.T) {
	payloader := codecsOfRTP[0].payloader()
	var first codecs.VP8Packet
	for i := range 300 { // ids have seven or fifteen bits
		var packet codecs.VP8Packet
		for j, payload := range payloader.Payload(1000, make([]byte, 2500)) {
			if _, err := packet.Unmarshal(payload); err != nil {
				t.Fatal(err)
			}
			if i == 0 && j == 0 {
				first = packet
			}
			if packet.I != first.I || packet.L != first.L || packet.T != first.T || packet.K != first.K {
				packet.Payload, first.Payload = nil, nil
				t.Fatalf("packet %d of frame %d is described as %+v, the first one as %+v", j, i, packet, first)
			}
		}
	}
}
