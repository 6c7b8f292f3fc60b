package stream_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/surface/stream"
)

// encodeH264 draws the test picture and encodes it with the encoder of Chromium. It
// is null in a Chromium without one.
const encodeH264 = `(async () => {
	const config = {codec: "avc1.42e01f", width: 320, height: 240, framerate: 30, bitrate: 1500000, latencyMode: "realtime", avc: {format: "annexb"}};
	if (!globalThis.VideoEncoder || !(await VideoEncoder.isConfigSupported(config)).supported) return null;
	const out = [];
	let failure = null;
	const encoder = new VideoEncoder({
		output: (chunk) => {
			const bytes = new Uint8Array(chunk.byteLength); chunk.copyTo(bytes);
			out.push({Key: chunk.type === "key", Data: btoa(String.fromCharCode(...bytes))});
		},
		error: (e) => { failure = e; },
	});
	encoder.configure(config);
	const canvas = new OffscreenCanvas(320, 240), g = canvas.getContext("2d");
	for (let n = 0; n < 60; n++) {
		["rgb(200 30 30)", "rgb(30 160 30)", "rgb(30 30 200)", "rgb(220 220 40)"].forEach((colour, i) => {
			g.fillStyle = colour; g.fillRect(i % 2 * 160, Math.floor(i / 2) * 120, 160, 120);
		});
		g.fillStyle = "white"; g.fillRect(Math.floor(n * 40 / 60) * 8, 110, 8, 20);
		const frame = new VideoFrame(canvas, {timestamp: n * 33333});
		encoder.encode(frame, {keyFrame: n % 15 === 0});
		frame.close();
	}
	await encoder.flush();
	if (failure) throw failure;
	return out;
})()`

func TestABrowserShowsH264(t *testing.T) {
	blank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
	}))
	defer blank.Close()
	encoder := openTab(t, blank.URL+"/live/")
	var encoded []struct {
		Key  bool
		Data string
	}
	encoder.value(encodeH264, &encoded)
	if encoded == nil {
		t.Skip("this Chromium has no H.264 encoder, which makes the picture of this test")
	}
	var c clip
	for _, e := range encoded {
		data, err := base64.StdEncoding.DecodeString(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		c.frames = append(c.frames, action.Frame{Data: data, Key: e.Key, Width: wide, Height: high})
	}
	for extra, shown := range map[string]string{"&codec=h264": "WebRTC, UDP", "&codec=h264&transport=websocket": "WebSocket, H264"} {
		r := newRig(t, stream.Media{UDP: anyPort})
		r.codecs[action.CodecH264] = c
		p := openTab(t, r.page(extra))
		p.until("picture", `document.body.dataset.status === "live"`)
		p.until("status", `document.getElementById("status").textContent.includes("`+shown+`")`)
		p.looksRight()
		p.moves()
	}
}
