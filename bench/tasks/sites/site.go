// Package sites serves the small web sites that the tasks are done on. Each
// run of a site has words of its own, drawn from a seed, so that nothing about
// it can be known before it is read; and what was done on it is held by the
// server, which says whether the goal was reached.
package sites

import (
	"embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	text "text/template"
)

//go:embed html
var files embed.FS

// pages are the sites' own pages: one file for each site, and head.html.
var pages = template.Must(template.New("").Funcs(template.FuncMap{"page": pageOf}).ParseFS(files, "html/*.html"))

// pageOf is the page, from 1, that the i-th of a list is on when eight are.
func pageOf(i int) string { return strconv.Itoa(i/8 + 1) }

// Values are the words of one run, by the names its page uses.
type Values map[string]any

// Site is one small web site and what is to be done on it.
type Site struct {
	Name   string // of its file in html, and of the task
	Goal   string // what a person would be told to do, a template over Values
	Person bool   // whether a person agrees when the site's owner would want to be asked
	draw   func(*draw) Values
	want   string // what is to be told to the server, or answered: a template over Values
	told   []string
}

// Told are the words of a run that whoever does the task is told.
func (s Site) toldOf(v Values) map[string]string {
	told := make(map[string]string, len(s.told))
	for _, name := range s.told {
		told[name] = fmt.Sprint(v[name])
	}
	return told
}

// All returns every site, in the order of the tasks.
func All() []Site { return slices.Concat(forms, tables, lists, widgets, content, places) }

// Named returns the site of that name.
func Named(name string) (Site, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Site{}, false
}

// filled is a template over values. Templates are this package's own: one that
// is wrong says so in its place.
func filled(source string, v Values) string {
	t, err := text.New("").Parse(source)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if err := t.Execute(&b, v); err != nil {
		return err.Error()
	}
	return b.String()
}

// noted writes down a form as "name=value; name=value", sorted by name.
func noted(form map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(form)) {
		parts = append(parts, name+"="+strings.Join(form[name], ","))
	}
	return strings.Join(parts, "; ")
}

// show answers with a run's page. It begins with the run's values, so that
// those that come with the request never take the place of one.
func (r *Run) show(w http.ResponseWriter, q *http.Request, file string) {
	data := Values{"q": flat(q.Form), "far": r.far, "site": r.site.Name, "saved": r.Saved() != ""}
	maps.Copy(data, r.values)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err := pages.ExecuteTemplate(w, file+".html", data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func flat(form map[string][]string) map[string]string {
	one := make(map[string]string, len(form))
	for name, values := range form {
		one[name] = strings.Join(values, ",")
	}
	return one
}
