package storagestate

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// httpOnly is the prefix of lines with HttpOnly cookies, as curl writes them.
// Other lines that begin with # are comments.
const httpOnly = "#HttpOnly_"

// netscapeFields are the fields of a line, separated by tabs.
var netscapeFields = []string{"domain", "the flag for sub-domains", "path", "the flag for TLS", "expiry", "name", "value"}

// netscape parses a cookies.txt: one cookie on each line.
func (s *State) netscape(text string, now time.Time) error {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		hidden := strings.HasPrefix(line, httpOnly)
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") && !hidden {
			continue
		}
		place := fmt.Sprintf("line %d", i+1)
		c, end, err := netscapeCookie(strings.TrimPrefix(line, httpOnly), place)
		if err != nil {
			return err
		}
		c.HTTPOnly = hidden
		s.keep(c, place, end, now)
	}
	return nil
}

func netscapeCookie(line, place string) (c action.NewCookie, end float64, err error) {
	f := strings.Split(line, "\t")
	if len(f) == len(netscapeFields)-1 { // some programs omit the tab before an empty value
		f = append(f, "")
	}
	if len(f) != len(netscapeFields) {
		return c, 0, wrong("%s has %d fields with tabs between, and a cookie has %d", place, len(f), len(netscapeFields))
	}
	wide, err := netscapeFlag(f, 1, place)
	if err != nil {
		return c, 0, err
	}
	if c.Secure, err = netscapeFlag(f, 3, place); err != nil {
		return c, 0, err
	}
	end, err = strconv.ParseFloat(f[4], 64)
	if err != nil || !finite(end) {
		return c, 0, wrong("%s: %s is no number of seconds since 1970", place, netscapeFields[4])
	}
	c.Domain, c.Path, c.Name, c.Value = f[0], f[2], f[5], &f[6]
	if wide && !strings.HasPrefix(c.Domain, ".") {
		c.Domain = "." + c.Domain
	}
	return c, end, nil
}

func netscapeFlag(fields []string, i int, place string) (bool, error) {
	switch strings.ToUpper(fields[i]) {
	case "TRUE":
		return true, nil
	case "FALSE":
		return false, nil
	}
	return false, wrong("%s: %s is neither TRUE nor FALSE", place, netscapeFields[i])
}
