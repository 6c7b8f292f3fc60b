package vaulttest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// version is one version of a secret. data is nil where it was destroyed.
type version struct {
	data    json.RawMessage
	made    time.Time
	deleted time.Time // zero: not
}

// Put writes a new version of a secret and returns its number. data is a JSON
// object.
func (s *Server) Put(path, data string) int {
	s.t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(data), &object); err != nil || object == nil {
		s.t.Fatalf("the data of %s is no JSON object", path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets[path] = append(s.secrets[path], version{data: json.RawMessage(data), made: s.now()})
	return len(s.secrets[path])
}

// Delete deletes the newest version of a secret, so that it can be restored.
func (s *Server) Delete(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all := s.secrets[path]; len(all) > 0 {
		all[len(all)-1].deleted = s.now()
	}
}

// Destroy removes the data of the newest version of a secret permanently.
func (s *Server) Destroy(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all := s.secrets[path]; len(all) > 0 {
		all[len(all)-1].data = nil
	}
}

// Erase removes a secret with all its versions.
func (s *Server) Erase(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.secrets, path)
}

func (s *Server) secret(c call) answer {
	all := s.secrets[c.path]
	number := len(all)
	if asked := c.query.Get("version"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 0 {
			return answer{status: http.StatusBadRequest, errors: []string{`error converting input for field "version"`}}
		}
		if n > 0 {
			number = n
		}
	}
	if number == 0 || number > len(all) {
		return answer{status: http.StatusNotFound}
	}
	v := all[number-1]
	a := answer{data: map[string]any{"data": v.data, "metadata": v.metadata(number)}}
	if v.data == nil || !v.deleted.IsZero() {
		a.status = http.StatusNotFound
		a.data = map[string]any{"data": nil, "metadata": v.metadata(number)}
	}
	return a
}

// write makes a new version of a secret (POST :mount/data/:path).
func (s *Server) write(c call) answer {
	var object map[string]any
	body := c.body.(*writeBody)
	if json.Unmarshal(body.Data, &object) != nil || object == nil {
		return answer{status: http.StatusBadRequest, errors: []string{"no data provided"}}
	}
	s.secrets[c.path] = append(s.secrets[c.path], version{data: body.Data, made: s.now()})
	all := s.secrets[c.path]
	return answer{data: all[len(all)-1].metadata(len(all))}
}

// remove deletes the newest version of a secret (DELETE :mount/data/:path).
func (s *Server) remove(c call) answer {
	if all := s.secrets[c.path]; len(all) > 0 {
		all[len(all)-1].deleted = s.now()
	}
	return answer{status: http.StatusNoContent}
}

func (v version) metadata(number int) map[string]any {
	m := v.state()
	m["custom_metadata"], m["version"] = nil, number
	return m
}

func (v version) state() map[string]any {
	deleted := ""
	if !v.deleted.IsZero() {
		deleted = v.deleted.Format(time.RFC3339Nano)
	}
	return map[string]any{"created_time": v.made.Format(time.RFC3339Nano), "deletion_time": deleted, "destroyed": v.data == nil}
}

// list returns the names directly below a folder. Names of folders end with a slash.
func (s *Server) list(c call) answer {
	folder := strings.TrimSuffix(c.path, "/") + "/"
	keys := []string{}
	for path := range s.secrets {
		name, below := strings.CutPrefix("/"+path, "/"+strings.TrimPrefix(folder, "/"))
		if !below {
			continue
		}
		if first, _, deeper := strings.Cut(name, "/"); deeper {
			name = first + "/"
		}
		keys = append(keys, name)
	}
	if len(keys) == 0 {
		return answer{status: http.StatusNotFound}
	}
	slices.Sort(keys)
	return answer{data: map[string]any{"keys": slices.Compact(keys)}}
}

func (s *Server) metadata(c call) answer {
	if c.query.Get("list") == "true" {
		return s.list(c)
	}
	all := s.secrets[c.path]
	if len(all) == 0 {
		return answer{status: http.StatusNotFound}
	}
	versions := map[string]any{}
	for i, v := range all {
		versions[strconv.Itoa(i+1)] = v.state()
	}
	return answer{data: map[string]any{
		"cas_required": false, "created_time": all[0].made.Format(time.RFC3339Nano), "current_version": len(all), "custom_metadata": nil,
		"delete_version_after": "0s", "max_versions": 0, "oldest_version": 0,
		"updated_time": all[len(all)-1].made.Format(time.RFC3339Nano), "versions": versions,
	}}
}
