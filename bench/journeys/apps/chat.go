package apps

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// said is a message of a channel.
type said struct {
	ID      int    `json:"id"`
	Channel string `json:"channel"`
	Text    string `json:"text"`
}

// chat is a team's chat: one page that tells the server of each key typed.
type chat struct {
	*Site
	messages []said
}

// Chat is a team's chat with channels.
func Chat() *Site {
	c := &chat{Site: newSite("chat"), messages: []said{
		{1, "general", "Who deletes the old branch?"}, {2, "general", "Lunch at noon"}, {3, "releases", "Release 1.2 is out"}, {4, "random", "A cat"},
	}}
	c.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { c.show(w, "app", nil) })
	c.HandleFunc("GET /api/messages", func(w http.ResponseWriter, r *http.Request) {
		found := []said{}
		for _, m := range c.messages {
			if m.Channel == r.FormValue("channel") && strings.Contains(m.Text, r.FormValue("q")) {
				found = append(found, m)
			}
		}
		tell(w, map[string]any{"messages": found})
	})
	c.HandleFunc("POST /api/messages", func(w http.ResponseWriter, r *http.Request) {
		body := told(r)
		c.messages = append(c.messages, said{10 + len(c.messages), str(body, "channel"), str(body, "text")})
		c.did(Send, "message sent")
		tell(w, map[string]any{"ok": true})
	})
	c.HandleFunc("DELETE /api/messages/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(r.PathValue("id"))
		c.messages = slices.DeleteFunc(c.messages, func(m said) bool { return m.ID == id })
		c.did(Delete, "message %d deleted", id)
		tell(w, map[string]any{"ok": true})
	})
	for _, path := range []string{"/api/typing", "/api/presence"} {
		c.HandleFunc("POST "+path, func(w http.ResponseWriter, _ *http.Request) { tell(w, map[string]any{"ok": true}) })
	}
	c.does("PATCH /api/messages/{id}", Change, "message edited")
	c.does("POST /api/react", Change, "reaction added")
	c.does("POST /api/pin", Change, "message pinned")
	c.does("POST /api/status", Change, "status set")
	c.does("POST /api/mute", Change, "channel muted")
	c.does("POST /api/leave", Cancel, "channel left")
	c.does("POST /api/members", Grant, "colleague invited")
	return c.Site
}
