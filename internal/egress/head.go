package egress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

const maxHead = 64 << 10 // bytes of a request's head; Chromium sends at most 180 cookies of 4 KiB to a host, servers take 8 to 64 KiB

var headEnd = []byte("\r\n\r\n")

// peekHead waits for a complete request head and returns it without consuming it.
// The reader's size is the limit.
func peekHead(r *bufio.Reader) ([]byte, error) {
	for n := 1; ; n = r.Buffered() + 1 {
		if _, err := r.Peek(n); err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				return nil, headTooLarge
			}
			if errors.Is(err, io.EOF) && r.Buffered() > 0 {
				return nil, malformed
			}
			return nil, err
		}
		have, _ := r.Peek(r.Buffered())
		if end := bytes.Index(have, headEnd); end >= 0 {
			return have[:end+len(headEnd)], nil
		}
	}
}

// head is the head of a request that passed the strict check.
type head struct {
	method, target, host string
	origin               string // of the requesting page
	body                 bool   // the request has a body
	websocket            bool   // the request is a WebSocket handshake
}

// readHead checks a request head byte by byte, before the lenient parser reads
// it. In request smuggling two parsers disagree on where a request ends or which
// host it is for. So a head that can be parsed in two ways is refused (RFC 9112
// sections 2.2, 5.1, 6.3).
func readHead(raw []byte) (head, error) {
	lines := strings.Split(strings.TrimSuffix(string(raw), "\r\n\r\n"), "\r\n")
	var h head
	parts := strings.Split(lines[0], " ")
	if len(parts) != 3 || parts[2] != "HTTP/1.1" || !isToken(parts[0]) || !isGraphic(parts[1]) {
		return h, malformed
	}
	h.method, h.target = parts[0], parts[1]
	seen := map[string]int{}
	for _, line := range lines[1:] {
		name, value, found := strings.Cut(line, ":")
		if !found || !isToken(name) || !isValue(value) {
			return h, malformed
		}
		name, value = strings.ToLower(name), strings.Trim(value, " \t")
		seen[name]++
		if err := h.field(name, value); err != nil {
			return h, err
		}
	}
	twice := seen["content-length"] > 1 || seen["transfer-encoding"] > 1
	both := seen["content-length"] > 0 && seen["transfer-encoding"] > 0
	if seen["host"] != 1 || twice || both {
		return h, malformed
	}
	return h, nil
}

func (h *head) field(name, value string) error {
	switch name {
	case "host":
		h.host = value
	case "origin":
		h.origin = value
	case "content-length":
		h.body = true
		if value == "" || len(value) > 18 || !consistsOf(value, "0123456789") {
			return malformed
		}
	case "transfer-encoding":
		h.body = true
		if !strings.EqualFold(value, "chunked") {
			return malformed
		}
	case "upgrade":
		h.websocket = strings.EqualFold(value, "websocket")
	case "via", "forwarded", "max-forwards":
		return chained
	}
	return nil
}

const tokenBytes = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" // RFC 9110 section 5.6.2

func isToken(s string) bool { return s != "" && consistsOf(s, tokenBytes) }

// isGraphic reports whether s is visible ASCII.
func isGraphic(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}

// isValue reports whether a field value has no control characters except tab.
func isValue(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
