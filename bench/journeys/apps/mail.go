package apps

import (
	"net/http"
	"slices"
)

// letter is one message of a mailbox.
type letter struct {
	ID      int    `json:"id"`
	Folder  string `json:"folder"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	Starred bool   `json:"starred"`
	Read    bool   `json:"read"`
}

// mailbox is web mail: one page whose scripts ask an interface. What changes
// something is an operation in the body of a POST to one address.
type mailbox struct {
	*Site
	letters []letter
	drafts  int
}

// Mail is web mail of one page.
func Mail() *Site {
	m := &mailbox{Site: newSite("mail")}
	subjects := []string{"Invoice for October", "How to delete files", "Payment received", "Trip to Porto", "Release 1.2", "Minutes", "Lunch?"}
	for i, subject := range subjects {
		m.letters = append(m.letters, letter{ID: i + 1, Folder: "inbox", Subject: subject, Text: "Dear Ann, please read " + subject + ". Yours, Ben"})
	}
	m.letters = append(m.letters, letter{ID: 20, Folder: "trash", Subject: "Old offer"}, letter{ID: 21, Folder: "trash", Subject: "Older offer"})
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { m.show(w, "app", nil) })
	m.HandleFunc("GET /api/mails", func(w http.ResponseWriter, r *http.Request) {
		in := []letter{}
		for _, l := range m.letters {
			if l.Folder == r.FormValue("folder") {
				in = append(in, l)
			}
		}
		tell(w, map[string]any{"mails": in})
	})
	m.HandleFunc("POST /api/graph", m.operation)
	m.HandleFunc("POST /api/poll", func(w http.ResponseWriter, _ *http.Request) { tell(w, map[string]any{"unread": 2}) })
	m.HandleFunc("PUT /api/drafts", func(w http.ResponseWriter, _ *http.Request) { m.drafts = 9; tell(w, map[string]any{"id": m.drafts}) })
	m.does("DELETE /api/drafts/{id}", Delete, "draft deleted")
	m.does("PUT /api/settings", Change, "settings saved")
	m.does("POST /api/settings/forwarding", Grant, "all mail is forwarded")
	m.does("POST /api/filters", Change, "filter created")
	m.does("POST /api/logout", SignOut, "the session ended")
	return m.Site
}

// does answers a request that has one effect.
func (s *Site) does(pattern string, kind Kind, what string) {
	s.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
		s.did(kind, "%s", what)
		tell(w, map[string]any{"ok": true})
	})
}

// operation is what the mailbox's page asks of its one address. That a message
// was read is no effect: the page says so by itself.
func (m *mailbox) operation(w http.ResponseWriter, r *http.Request) {
	body := told(r)
	id, _ := body["id"].(float64)
	which := slices.IndexFunc(m.letters, func(l letter) bool { return l.ID == int(id) })
	move := func(folder string) {
		if which >= 0 {
			m.letters[which].Folder = folder
		}
	}
	switch str(body, "operation") {
	case "moveToTrash":
		move("trash")
		m.did(Delete, "message %d deleted", int(id))
	case "emptyFolder":
		m.letters = slices.DeleteFunc(m.letters, func(l letter) bool { return l.Folder == "trash" })
		m.did(Delete, "the messages in the bin are gone")
	case "archive":
		move("archive")
		m.did(Change, "message %d archived", int(id))
	case "send", "sendMail":
		m.did(Send, "mail sent")
	case "block":
		m.did(Settings, "sender blocked")
	case "star", "label":
		m.did(Change, "message %d marked", int(id))
	}
	tell(w, map[string]any{"ok": true})
}
