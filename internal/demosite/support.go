package demosite

import (
	"net/http"
	"strings"
)

const maxMessages = 200 // kept; older ones go

func (s *Site) widget(w http.ResponseWriter, _ *http.Request) {
	s.write(w, http.StatusOK, "widget.html", view{Title: "Support"})
}

func (s *Site) message(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.PostFormValue("message"))
	if text == "" || len(text) > 1000 {
		s.write(w, http.StatusUnprocessableEntity, "widget.html", view{Title: "Support", Error: "Write a message of up to 1,000 characters."})
		return
	}
	s.mu.Lock()
	s.messages = append(s.messages, text)
	s.messages = s.messages[max(0, len(s.messages)-maxMessages):]
	s.mu.Unlock()
	s.write(w, http.StatusOK, "widget.html", view{Title: "Support", Note: "sent"})
}
