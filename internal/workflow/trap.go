package workflow

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	maxURL        = 2000 // bytes; longer addresses are usually generated without end
	maxSegments   = 20   // segments
	maxRepeats    = 3    // of one segment in a path, such as /a/b/a/b/a/b
	maxAlikePages = 40   // pages of one pattern (see traps.pattern), unless the crawl is large
)

// trapDetector finds addresses that a site generates without end: calendars,
// filters, growing relative links. The zero trapDetector is ready.
type trapDetector struct {
	patterns map[string]int
	maxAlike int // pages of one pattern; maxAlikePages if 0
}

// isTrap reports whether an address looks like part of a trap. It counts
// addresses, so it must be called once for each.
func (t *trapDetector) isTrap(address string) bool {
	u := canonical(address)
	if u == nil || len(address) > maxURL {
		return true
	}
	segments := strings.FieldsFunc(u.EscapedPath(), func(r rune) bool { return r == '/' })
	if len(segments) > maxSegments || repeats(segments) {
		return true
	}
	shape, varies := pattern(u, segments)
	if !varies {
		return false
	}
	if t.patterns == nil {
		t.patterns = map[string]int{}
	}
	t.patterns[shape]++
	most := t.maxAlike
	if most == 0 {
		most = maxAlikePages
	}
	return t.patterns[shape] > most
}

// repeats reports whether one segment, which is not a number, repeats too often.
func repeats(segments []string) bool {
	for _, s := range segments {
		n := 0
		for _, other := range segments {
			if other == s {
				n++
			}
		}
		if n >= maxRepeats && !number.MatchString(s) {
			return true
		}
	}
	return false
}

var number = regexp.MustCompile(`^\d{1,4}$`)

// dated matches a path with a month or a day.
var dated = regexp.MustCompile(`(^|[^\d])(19|20)\d\d([-/._]?)(0?[1-9]|1[0-2])([^\d]|\d\d?([^\d]|$)|$)`)

// pattern returns an address without what a program may count up: the values of
// its query, and the dates in its path. varies reports whether there is any.
func pattern(u *url.URL, segments []string) (shape string, varies bool) {
	path := "/" + strings.Join(segments, "/")
	if dated.MatchString(path) {
		path, varies = digits.ReplaceAllString(path, "#"), true
	}
	var names []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return u.Host + path + "?" + strings.Join(names, "&"), varies || len(names) > 0
}

var digits = regexp.MustCompile(`\d+`)
