package capture

import "testing"

func TestSizeOfWebP(t *testing.T) {
	head := func(chunk string, body ...byte) []byte {
		data := append([]byte("RIFF\x00\x00\x00\x00WEBP"+chunk+"\x00\x00\x00\x00"), body...)
		return append(data, make([]byte, 10)...)
	}
	for name, data := range map[string][]byte{
		"lossy":    head("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x03, 0x58, 0x02),
		"lossless": head("VP8L", 0x2f, 0x1f, 0xc3, 0x95, 0x00),
		"extended": head("VP8X", 0, 0, 0, 0, 0x1f, 0x03, 0, 0x57, 0x02, 0),
	} {
		if w, h, err := WebPSize(data); err != nil || w != 800 || h != 600 {
			t.Errorf("%s: %d×%d, %v", name, w, h, err)
		}
	}
	for name, data := range map[string][]byte{"empty": nil, "short": []byte("RIFF"), "other": head("ANIM")} {
		if _, _, err := WebPSize(data); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
