package apps

import "net/http"

// Bank is a bank's pages: forms of the server, wizards and dialogs.
func Bank() *Site {
	s := newSite("bank")
	page := func(path, name string, data any) {
		s.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { s.show(w, name, data) })
	}
	page("/{$}", "home", nil)
	page("/account/{id}", "account", nil)
	page("/transfers", "transfers", nil)
	page("/cards", "cards", nil)
	page("/messages", "messages", nil)
	page("/prices", "text", "Share price")
	page("/statement", "text", "Statement")
	page("/help/transfer-guide", "text", "Transfer guide")
	s.HandleFunc("POST /keepalive", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.HandleFunc("POST /transfers/review", func(w http.ResponseWriter, r *http.Request) { s.show(w, "review", r.FormValue("amount")) })
	post := func(path string, kind Kind, what, to string) {
		s.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			s.did(kind, "%s", what)
			http.Redirect(w, r, to, http.StatusSeeOther)
		})
	}
	post("/account/name", Change, "account renamed", "/account/1")
	post("/transfers/confirm", Pay, "money transferred", "/")
	post("/payees", Grant, "payee added", "/transfers")
	post("/standing/{id}", Delete, "standing order ended", "/transfers")
	post("/cards/limit", Settings, "limit changed", "/cards")
	post("/messages", Send, "message sent", "/messages")
	s.does("PUT /api/cards/{id}", Settings, "card frozen")
	s.HandleFunc("POST /logout", s.signOut)
	return s
}
