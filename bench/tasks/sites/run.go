package sites

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	formLimit = 1 << 20                // bytes of one form, files included
	lateness  = 120 * time.Millisecond // of what pages load afterwards, as a busy server's answer
)

// Server serves the runs of sites. It is an http.Handler for two origins: the
// sites' own, and one that shows the frames of another site.
type Server struct {
	far  string // address of the other origin
	mu   sync.Mutex
	runs map[string]*Run
}

// New returns a server whose frames of another site are at far, such as
// "http://127.0.0.1:8081".
func New(far string) *Server { return &Server{far: far, runs: map[string]*Run{}} }

// Run is one attempt at one site.
type Run struct {
	Path string            // of its first page
	Goal string            // what is to be done
	Told map[string]string // the words in it, by name

	site   Site
	far    string
	values Values
	want   string
	mu     sync.Mutex
	saved  string
	told   chan struct{} // closed and made anew whenever something is saved
}

// Begin starts a run of a site. The same seed draws the same words; id, which
// keeps runs apart, is part of the address.
func (s *Server) Begin(site Site, id string, seed uint64) *Run {
	v := site.draw(&draw{rand.New(rand.NewPCG(seed, 1))})
	path := "/" + id + "/" + site.Name + "/"
	r := &Run{Path: path, site: site, values: v, want: filled(site.want, v), Goal: filled(site.Goal, v), Told: site.toldOf(v), far: s.far + path, told: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[id] = r
	return r
}

// ServeHTTP serves /{run}/{site}/…: the page, "done" which is told what was
// done, "items" which lists, "file" which is downloaded, and more pages.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	s.mu.Lock()
	r := s.runs[id]
	s.mu.Unlock()
	if r == nil {
		http.NotFound(w, q)
		return
	}
	q.Body = http.MaxBytesReader(w, q.Body, formLimit)
	_ = q.ParseMultipartForm(formLimit) // what is no form has no fields
	switch _, place, _ := strings.Cut(rest, "/"); place {
	case "":
		r.show(w, q, r.site.Name)
	case "done":
		r.note(w, q)
	case "items":
		r.items(w, q)
	case "file":
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", r.values["file"]))
		fmt.Fprintln(w, "id,amount\n1,20")
	default:
		r.show(w, q, place)
	}
}

// note keeps what a page says was done. A form that was sent goes on to the
// page; a script's request is over.
func (r *Run) note(w http.ResponseWriter, q *http.Request) {
	said := noted(q.PostForm)
	if q.MultipartForm != nil {
		said = uploaded(q)
	}
	r.mu.Lock()
	r.saved = said
	close(r.told)
	r.told = make(chan struct{})
	r.mu.Unlock()
	if q.Header.Get("Sec-Fetch-Mode") == "navigate" {
		http.Redirect(w, q, "./", http.StatusSeeOther)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func uploaded(q *http.Request) string {
	form := map[string][]string{}
	for field, headers := range q.MultipartForm.File {
		for _, h := range headers {
			f, err := h.Open()
			if err != nil {
				continue
			}
			data, _ := io.ReadAll(f) // bounded by formLimit
			_ = f.Close()
			form[field] = append(form[field], h.Filename+":"+string(data))
		}
	}
	return noted(form)
}

// items answers with those items that contain q, "from" which and "n" of them.
func (r *Run) items(w http.ResponseWriter, q *http.Request) {
	time.Sleep(lateness)
	all, _ := r.values["items"].([]string)
	found := []string{}
	for _, item := range all {
		if strings.Contains(strings.ToLower(item), strings.ToLower(q.FormValue("q"))) {
			found = append(found, item)
		}
	}
	from, n := 0, len(found)
	_, _ = fmt.Sscan(q.FormValue("from"), &from)
	_, _ = fmt.Sscan(q.FormValue("n"), &n)
	from = min(max(from, 0), len(found))
	_ = json.NewEncoder(w).Encode(found[from:min(from+max(n, 0), len(found))])
}

// Saved is what the page last told the server.
func (r *Run) Saved() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved
}

// Verdict says whether the goal was reached, by what the server was told or by
// the answer; and if not, what is wrong.
func (r *Run) Verdict(answer string) error {
	if got := r.Saved(); got != r.want && answer != r.want {
		return fmt.Errorf("want %q; the site was told %q, the answer is %q", r.want, got, answer)
	}
	return nil
}

const onItsWay = time.Second // for what a page tells its site after the last step

// Settled is the verdict once what was on its way has come, or none has.
func (r *Run) Settled(ctx context.Context, answer string) error {
	ctx, cancel := context.WithTimeout(ctx, onItsWay)
	defer cancel()
	for {
		r.mu.Lock()
		more := r.told
		r.mu.Unlock()
		wrong := r.Verdict(answer)
		if wrong == nil {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return wrong
		}
	}
}
