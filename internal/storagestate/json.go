package storagestate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// entry is a cookie in the format of Playwright or of browser extensions. Other
// fields are ignored.
type entry struct {
	Name           *string         `json:"name"`
	Value          *string         `json:"value"`
	Domain         *string         `json:"domain"`
	Path           string          `json:"path"`
	Expires        *float64        `json:"expires"`        // Playwright
	ExpirationDate *float64        `json:"expirationDate"` // extensions
	Session        bool            `json:"session"`
	HostOnly       *bool           `json:"hostOnly"`
	HTTPOnly       bool            `json:"httpOnly"`
	Secure         bool            `json:"secure"`
	SameSite       *string         `json:"sameSite"`
	Partition      json.RawMessage `json:"partitionKey"`
}

// sameSites maps the values that programs write to ours.
var sameSites = map[string]string{
	"": "", "unspecified": "", "none": "None", "no_restriction": "None", "lax": "Lax", "strict": "Strict",
}

// playwright reads an object with cookies and origins.
func (s *State) playwright(file []byte, now time.Time) error {
	var doc struct {
		Cookies []json.RawMessage `json:"cookies"`
		Origins []json.RawMessage `json:"origins"`
	}
	if err := decode(file, &doc, "the file"); err != nil {
		return err
	}
	if doc.Cookies == nil && doc.Origins == nil {
		return wrong("the file has neither cookies nor origins: it is no storageState of Playwright")
	}
	for i, raw := range doc.Cookies {
		if err := s.cookie(raw, fmt.Sprintf("cookies.%d", i), now); err != nil {
			return err
		}
	}
	for i, raw := range doc.Origins {
		if err := s.origin(raw, fmt.Sprintf("origins.%d", i)); err != nil {
			return err
		}
	}
	return nil
}

// array reads an array of cookies.
func (s *State) array(file []byte, now time.Time) error {
	var all []json.RawMessage
	if err := decode(file, &all, "the file"); err != nil {
		return err
	}
	for i, raw := range all {
		if err := s.cookie(raw, fmt.Sprintf("entry %d", i), now); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) cookie(raw json.RawMessage, place string, now time.Time) error {
	var e entry
	if err := decode(raw, &e, place); err != nil {
		return err
	}
	if missing := e.missing(); missing != "" {
		return wrong("%s has no %s", place, missing)
	}
	c := action.NewCookie{Name: *e.Name, Value: e.Value, Domain: *e.Domain, Path: e.Path, HTTPOnly: e.HTTPOnly, Secure: e.Secure}
	if e.SameSite != nil {
		var known bool
		if c.SameSite, known = sameSites[strings.ToLower(*e.SameSite)]; !known {
			return wrong("%s: sameSite is none of Strict, Lax, None, no_restriction and unspecified", place)
		}
	}
	switch bare := strings.TrimPrefix(c.Domain, "."); {
	case e.HostOnly != nil && *e.HostOnly:
		c.Domain = bare
	case e.HostOnly != nil:
		c.Domain = "." + bare
	}
	if key := bytes.TrimSpace(e.Partition); len(key) > 0 && !bytes.Equal(key, []byte("null")) && !bytes.Equal(key, []byte(`""`)) {
		s.leave(strings.TrimPrefix(c.Domain, "."), partitioned, 1, 0)
		return nil
	}
	s.keep(c, place, e.end(), now)
	return nil
}

// missing returns the name of a required field that is absent; "" if there is
// none.
func (e entry) missing() string {
	switch {
	case e.Name == nil:
		return "name"
	case e.Value == nil:
		return "value"
	case e.Domain == nil || *e.Domain == "":
		return "domain"
	}
	return ""
}

// end returns when a cookie expires, in seconds since 1970; -1 for a session
// cookie.
func (e entry) end() float64 {
	switch {
	case e.Session:
	case e.Expires != nil:
		return *e.Expires
	case e.ExpirationDate != nil:
		return *e.ExpirationDate
	}
	return -1
}

func (s *State) origin(raw json.RawMessage, place string) error {
	var o struct {
		Origin       string          `json:"origin"`
		LocalStorage []storedItem    `json:"localStorage"`
		IndexedDB    json.RawMessage `json:"indexedDB"`
	}
	if err := decode(raw, &o, place); err != nil {
		return err
	}
	host, valid := validOrigin(o.Origin)
	if !valid {
		return wrong("%s: origin is none, such as https://app.example.com", place)
	}
	if databases := bytes.TrimSpace(o.IndexedDB); len(databases) > 0 && !bytes.Equal(databases, []byte("[]")) && !bytes.Equal(databases, []byte("null")) {
		s.leave(host, indexedDB, 0, 0)
	}
	out := Origin{Place: place, OriginState: action.OriginState{Origin: o.Origin}}
	for i, item := range o.LocalStorage {
		if item.Name == nil || item.Value == nil {
			return wrong("%s.localStorage.%d has no name, or no value", place, i)
		}
		out.LocalStorage = append(out.LocalStorage, action.StorageItem{Name: *item.Name, Value: *item.Value})
	}
	if len(out.LocalStorage) > 0 {
		s.Origins = append(s.Origins, out)
	}
	return nil
}

type storedItem struct {
	Name  *string `json:"name"`
	Value *string `json:"value"`
}

// validOrigin parses scheme://host[:port] of http or https, and nothing else.
func validOrigin(text string) (host string, valid bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Scheme+"://"+u.Host != text {
		return "", false
	}
	return u.Hostname(), true
}

// decode parses JSON. Its error names the wrong field.
func decode(raw []byte, into any, place string) error {
	err := json.Unmarshal(raw, into)
	syntax, kind := (*json.SyntaxError)(nil), (*json.UnmarshalTypeError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		before := raw[:min(int(syntax.Offset), len(raw))]
		return wrong("%s is no JSON at line %d, character %d", place,
			bytes.Count(before, []byte("\n"))+1, len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))))
	case errors.As(err, &kind) && kind.Field != "":
		return wrong("%s.%s has the wrong type, %s", place, kind.Field, strings.Fields(kind.Value)[0])
	case errors.As(err, &kind):
		return wrong("%s has the wrong type, %s", place, strings.Fields(kind.Value)[0])
	}
	return wrong("%s is no JSON that can be read", place)
}

func finite(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }
