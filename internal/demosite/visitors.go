package demosite

import (
	"crypto/subtle"
	"net/http"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/randid"
)

// The test account, which the sign-in page shows.
const (
	testEmail    = "demo@northwind.example"
	testPassword = "northwind-demo"
)

const (
	cookieName  = "northwind"
	maxVisitors = 1000 // signed in at the same time; above this, all are signed out
)

// visitors stores who is signed in, and a note for the next page of each. It is
// safe for concurrent use.
type visitors struct {
	mu    sync.Mutex
	notes map[string]string // by cookie
	count int
}

// admit signs a visitor in.
func (v *visitors) admit(w http.ResponseWriter) {
	id := randid.Word()
	v.mu.Lock()
	if v.notes == nil || len(v.notes) >= maxVisitors {
		v.notes = map[string]string{}
	}
	v.notes[id] = ""
	v.count++
	v.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func (v *visitors) dismiss(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	delete(v.notes, cookieOf(r))
	v.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func (v *visitors) knows(r *http.Request) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.notes[cookieOf(r)]
	return ok
}

// tell stores a note for the visitor's next page.
func (v *visitors) tell(r *http.Request, note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.notes[cookieOf(r)]; ok {
		v.notes[cookieOf(r)] = note
	}
}

// note returns and removes the visitor's note.
func (v *visitors) note(r *http.Request) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	note, ok := v.notes[cookieOf(r)]
	if ok {
		v.notes[cookieOf(r)] = ""
	}
	return note
}

func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return c.Value
}

func isTestAccount(email, password string) bool {
	return email == testEmail && subtle.ConstantTimeCompare([]byte(password), []byte(testPassword)) == 1
}
