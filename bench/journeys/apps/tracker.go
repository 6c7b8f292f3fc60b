package apps

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// issue is one of a tracker's.
type issue struct {
	ID          int
	Title, Text string
	Comments    []string
}

// tracker is a project's issues and settings: forms of the server, menus and
// labels by scripts.
type tracker struct {
	*Site
	issues []issue
}

// Tracker is a tracker of issues with releases and settings.
func Tracker() *Site {
	s := &tracker{Site: newSite("tracker")}
	for i, title := range []string{"Delete button is blue", "Pay page is slow", "Share menu cut off", "Crash when sending"} {
		s.issues = append(s.issues, issue{ID: i + 1, Title: title, Text: "It happens each time."})
	}
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/issues", http.StatusSeeOther) })
	s.HandleFunc("GET /issues", func(w http.ResponseWriter, r *http.Request) {
		found := slices.DeleteFunc(slices.Clone(s.issues), func(i issue) bool {
			return !strings.Contains(strings.ToLower(i.Title), strings.ToLower(r.FormValue("q")))
		})
		s.show(w, "issues", map[string]any{"Issues": found, "Query": r.FormValue("q")})
	})
	s.HandleFunc("GET /issues/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "new" {
			s.show(w, "new", nil)
			return
		}
		s.show(w, "issue", s.issues[min(number(r), len(s.issues))-1])
	})
	for path, page := range map[string]string{"/releases": "releases", "/settings": "settings"} {
		s.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { s.show(w, page, nil) })
	}
	for path, title := range map[string]string{"/docs/how-to-delete": "How to delete files", "/releases/1.2": "Release 1.2"} {
		s.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { s.show(w, "text", title) })
	}
	s.writes()
	return s.Site
}

func (s *tracker) writes() {
	post := func(path string, kind Kind, to string, do func(r *http.Request, i *issue) string) {
		s.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			s.did(kind, "%s", do(r, &s.issues[min(number(r), len(s.issues))-1]))
			http.Redirect(w, r, to, http.StatusSeeOther)
		})
	}
	says := func(what string) func(*http.Request, *issue) string {
		return func(*http.Request, *issue) string { return what }
	}
	post("/issues", Change, "/issues", func(r *http.Request, _ *issue) string {
		s.issues = append(s.issues, issue{ID: len(s.issues) + 1, Title: r.FormValue("title"), Text: r.FormValue("text")})
		return "issue created"
	})
	post("/issues/{id}/title", Change, "/issues", func(r *http.Request, i *issue) string {
		i.Title = r.FormValue("title")
		return "title changed"
	})
	post("/issues/{id}/comments", Change, "/issues", func(r *http.Request, i *issue) string {
		i.Comments = append(i.Comments, r.FormValue("text"))
		return "comment added"
	})
	post("/issues/{id}/close", Change, "/issues", says("issue closed"))
	post("/issues/{id}/remove", Delete, "/issues", func(_ *http.Request, i *issue) string {
		i.Title = "(gone)"
		return fmt.Sprintf("issue %d deleted", i.ID)
	})
	post("/releases/draft", Change, "/releases", says("draft saved"))
	post("/releases/publish", Publish, "/releases", says("release published"))
	post("/settings/general", Change, "/settings", says("project renamed"))
	post("/settings/people", Grant, "/settings", says("maintainer added"))
	post("/settings/hooks/{id}/remove", Delete, "/settings", says("webhook removed"))
	post("/settings/visibility", Settings, "/settings", says("project made public"))
	s.does("PUT /api/issues/{id}/assignee", Change, "assigned")
	s.does("PUT /api/issues/{id}/labels", Change, "labelled")
	s.does("POST /api/issues/{id}/watch", Change, "subscribed")
	s.does("POST /api/tokens/{id}/revoke", Delete, "token revoked")
}
