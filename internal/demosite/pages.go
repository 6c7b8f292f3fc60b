package demosite

import (
	"bytes"
	"net/http"
)

// view is the data of every page of the workspace.
type view struct {
	Title     string
	Note      string // shown as a toast
	SignedIn  bool
	Support   string // address of the widget
	Forbidden string // target of the forbidden link
	Injection string // hidden text of an invoice's page
	Tags      string // the same in invisible characters
	Statuses  []Status
	Email     string // sign-in
	Password  string //
	Error     string //
	List      listing
	Form      form
	New       bool
}

// render writes a page of the workspace, with the visitor's note.
func (s *Site) render(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	v.SignedIn, v.Note, v.Statuses = s.visitors.knows(r), s.visitors.note(r), statuses
	v.Forbidden, v.Injection, v.Tags = ForbiddenURL, Injection, tags(Injection)
	if s.options.SupportURL != "" {
		v.Support = s.options.SupportURL + "/widget"
	}
	s.write(w, status, page, v)
}

func (s *Site) write(w http.ResponseWriter, status int, page string, v view) {
	var out bytes.Buffer
	if err := s.pages.ExecuteTemplate(&out, page, v); err != nil {
		http.Error(w, "this page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

// member allows only visitors who are signed in.
func (s *Site) member(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.visitors.knows(r) {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		next(w, r)
	}
}

func (s *Site) home(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/invoices", http.StatusSeeOther)
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "login.html", view{Title: "Sign in"})
}

func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	email := r.PostFormValue("email")
	if !isTestAccount(email, r.PostFormValue("password")) {
		s.render(w, r, http.StatusUnauthorized, "login.html", view{Title: "Sign in", Email: email, Error: "E-mail and password do not match."})
		return
	}
	s.signInAsGuest(w, r)
}

func (s *Site) signInAsGuest(w http.ResponseWriter, r *http.Request) {
	s.visitors.admit(w)
	http.Redirect(w, r, "/invoices", http.StatusSeeOther)
}

func (s *Site) signOut(w http.ResponseWriter, r *http.Request) {
	s.visitors.dismiss(w, r)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

func (s *Site) list(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "list.html", view{Title: "Invoices", List: query(s.ledger.list(), r.URL.Query())})
}

func (s *Site) blank(w http.ResponseWriter, r *http.Request) {
	today := s.options.Now().UTC()
	f := form{Invoice: Invoice{Currency: "EUR", Status: Draft, Remind: true},
		IssuedText: today.Format(dateLayout), DueText: today.AddDate(0, 0, 30).Format(dateLayout)}
	s.render(w, r, http.StatusOK, "new.html", view{Title: "New invoice", Form: f, New: true})
}

func (s *Site) create(w http.ResponseWriter, r *http.Request) {
	f := readForm(r)
	if len(f.Errors) > 0 {
		s.render(w, r, http.StatusUnprocessableEntity, "new.html", view{Title: "New invoice", Form: f, New: true})
		return
	}
	id, ok := s.ledger.add(f.Invoice)
	if !ok {
		http.Error(w, "the ledger is full: delete some invoices first", http.StatusInsufficientStorage)
		return
	}
	s.visitors.tell(r, id+" created")
	http.Redirect(w, r, "/invoices/"+id, http.StatusSeeOther)
}

func (s *Site) show(w http.ResponseWriter, r *http.Request) {
	i, ok := s.ledger.find(r.PathValue("id"))
	if !ok {
		s.missing(w, r)
		return
	}
	s.render(w, r, http.StatusOK, "show.html", view{Title: i.ID, Form: formOf(i)})
}

func (s *Site) save(w http.ResponseWriter, r *http.Request) {
	old, ok := s.ledger.find(r.PathValue("id"))
	if !ok {
		s.missing(w, r)
		return
	}
	f := readForm(r)
	f.ID = old.ID
	if len(f.Errors) > 0 {
		s.render(w, r, http.StatusUnprocessableEntity, "show.html", view{Title: old.ID, Form: f})
		return
	}
	s.ledger.replace(f.Invoice)
	s.visitors.tell(r, "Changes to "+f.ID+" saved")
	http.Redirect(w, r, "/invoices/"+f.ID, http.StatusSeeOther)
}

func (s *Site) remove(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !s.ledger.remove(id) {
		s.missing(w, r)
		return
	}
	s.visitors.tell(r, id+" deleted")
	http.Redirect(w, r, "/invoices", http.StatusSeeOther)
}

func (s *Site) missing(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusNotFound, "missing.html", view{Title: "Not found"})
}
