package capture

import (
	"encoding/binary"
	"errors"
)

var errWebP = errors.New("not a WebP picture")

// WebPSize reads the size in pixels from the first chunk of a WebP file (RFC 9649
// sections 2.5 to 2.7).
func WebPSize(data []byte) (width, height int, err error) {
	if len(data) < 30 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return 0, 0, errWebP
	}
	body := data[20:]
	switch string(data[12:16]) {
	case "VP8 ": // lossy: 14 bits each after the frame tag and start code
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), nil
	case "VP8L": // lossless: 14 bits each, less one, after the signature
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X": // extended: 24 bits each, less one, after flags
		return int(uint24(body[4:])) + 1, int(uint24(body[7:])) + 1, nil
	}
	return 0, 0, errWebP
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
