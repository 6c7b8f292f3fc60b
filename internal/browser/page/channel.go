package page

import (
	"encoding/json"
	"strings"
)

// Channels are WebSockets and WebTransports: what is sent over one that is open
// cannot be held.

// channelBegins notes that a page or worker opened a channel, and goes on with
// next.
func channelBegins(next taker) taker {
	return channelEvent(next, func(b *Browser, key string, from *target) {
		tab := ""
		if from != nil && from.tab != nil {
			tab = from.tab.id
		}
		if b.channels == nil {
			b.channels = map[string]string{}
		}
		b.channels[key] = tab
	})
}

func channelEnds(next taker) taker {
	return channelEvent(next, func(b *Browser, key string, _ *target) { delete(b.channels, key) })
}

func channelEvent(next taker, note func(b *Browser, key string, from *target)) taker {
	return func(b *Browser, session string, from *target, params json.RawMessage) {
		var p struct {
			Request   string `json:"requestId"`
			Transport string `json:"transportId"`
		}
		if json.Unmarshal(params, &p) == nil {
			note(b, session+"/"+p.Request+p.Transport, from)
		}
		if next != nil {
			next(b, session, from, params)
		}
	}
}

// hasChannel reports whether a tab has a channel open, or a worker has, which
// may be any tab's. b.mu is held.
func (b *Browser) hasChannel(t *tab) bool {
	for _, tab := range b.channels {
		if tab == t.id || tab == "" {
			return true
		}
	}
	return false
}

// dropChannels forgets the channels of a tab, whose document is gone, or of a
// target that is. b.mu is held.
func (b *Browser) dropChannels(gone func(session, tab string) bool) {
	for key, tab := range b.channels {
		if session, _, _ := strings.Cut(key, "/"); gone(session, tab) {
			delete(b.channels, key)
		}
	}
}
