// Package storagestate reads files that contain a browser's login: Playwright's
// storageState, Netscape's cookies.txt and the JSON arrays of browser extensions.
// If an entry is bad, the whole file is refused, and the fault names the place of
// the entry. No fault repeats a value.
package storagestate

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// The formats of files.
const (
	Auto       = "auto"
	Playwright = "playwright"
	Netscape   = "netscape"
	JSON       = "json"
)

// Limits of a file.
const (
	maxCookies = 5000 // a Chromium profile keeps 3,300
	maxOrigins = 500
	maxItems   = 10_000 // of localStorage in all origins
)

// State is what a file holds.
type State struct {
	Format  string // Playwright, Netscape or JSON
	Cookies []Cookie
	Origins []Origin
	Left    []action.LeftOut // entries that a browser would not keep, or that are not supported
}

// Cookie is a cookie with its place in the file, such as "line 12" or
// "cookies.3".
type Cookie struct {
	action.NewCookie
	Place string
}

// Origin is the localStorage of an origin.
type Origin struct {
	action.OriginState
	Place string
}

// Reasons to leave an entry out.
const (
	expired     = "expired"
	partitioned = "it counts in frames of one other site only, which is not supported"
	indexedDB   = "IndexedDB is not supported"
)

// Parse reads a file. It leaves out cookies that have expired at now. Faults:
// invalid_request, which names the line or the entry, and limit_reached.
func Parse(format string, file []byte, now time.Time) (State, error) {
	if len(file) > action.MostStateFile {
		return State{}, fault.New(fault.LimitReached, "the file is larger than %d MiB", action.MostStateFile>>20).
			Hinted("export the sites that are needed, instead of all").With("field", "file")
	}
	file = bytes.TrimPrefix(file, []byte("\ufeff")) // a byte order mark
	if at, bad := notUTF8(file); bad {
		return State{}, wrong("line %d is not UTF-8 text", at)
	}
	if format == Auto || format == "" {
		format = detect(file)
	}
	s := State{Format: format}
	var err error
	switch format {
	case Playwright:
		err = s.playwright(file, now)
	case Netscape:
		err = s.netscape(string(file), now)
	case JSON:
		err = s.array(file, now)
	default:
		err = fault.New(fault.InvalidRequest, "format is none of auto, playwright, netscape and json").With("field", "format")
	}
	if err != nil {
		return State{}, err
	}
	return s, s.check()
}

// detect returns the format by the first character: an object is Playwright's, an
// array an extension's.
func detect(file []byte) string {
	switch text := bytes.TrimSpace(file); {
	case bytes.HasPrefix(text, []byte("{")):
		return Playwright
	case bytes.HasPrefix(text, []byte("[")):
		return JSON
	}
	return Netscape
}

func (s *State) check() error {
	items := 0
	for _, o := range s.Origins {
		items += len(o.LocalStorage)
	}
	switch {
	case len(s.Cookies) > maxCookies:
		return tooMany("%d cookies", maxCookies)
	case len(s.Origins) > maxOrigins:
		return tooMany("%d origins", maxOrigins)
	case items > maxItems:
		return tooMany("%d entries of localStorage", maxItems)
	case len(s.Cookies)+len(s.Origins)+len(s.Left) == 0:
		return wrong("there are no cookies and no origins in it")
	}
	return nil
}

func tooMany(format string, most int) error {
	return fault.New(fault.LimitReached, "the file has more than "+format, most).
		Hinted("export the sites that are needed, instead of all").With("field", "file")
}

// leave records an entry that is left out.
func (s *State) leave(host, why string, cookies, items int) {
	s.Left = action.LeaveOut(s.Left, action.LeftOut{Host: host, Why: why, Cookies: cookies, LocalStorage: items})
}

// keep adds a cookie unless it has expired. end is in seconds since 1970; 0 and
// -1 mean a session cookie.
func (s *State) keep(c action.NewCookie, place string, end float64, now time.Time) {
	switch {
	case end == 0 || end == -1:
		c.Expires = nil
	case end <= float64(now.Unix()):
		s.leave(strings.TrimPrefix(c.Domain, "."), expired, 1, 0)
		return
	default:
		c.Expires = &end
	}
	if c.Path == "" {
		c.Path = "/"
	}
	if strings.EqualFold(c.SameSite, "None") && !c.Secure {
		c.SameSite = "" // Firefox and WebKit write None for a cookie without the attribute
	}
	s.Cookies = append(s.Cookies, Cookie{c, place})
}

// notUTF8 returns the line, from 1, of the first byte that is not UTF-8.
func notUTF8(file []byte) (line int, bad bool) {
	if utf8.Valid(file) {
		return 0, false
	}
	line = 1
	for len(file) > 0 {
		r, size := utf8.DecodeRune(file)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		file = file[size:]
	}
	return line, true
}

// wrong is the fault of an invalid file.
func wrong(format string, args ...any) error {
	return fault.New(fault.InvalidRequest, format, args...).
		Hinted("correct the file, or say what it is with format (--from): playwright, netscape or json; entries are counted from 0, lines from 1; nothing was imported").With("field", "file")
}
