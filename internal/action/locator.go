package action

import (
	"fmt"
	"strings"
	"time"
)

// Locator names an element by one of ref, selector, role, text, or x and y.
// Check refuses more than one of them. Name narrows role, selector and text;
// index chooses among the matches.
type Locator struct {
	Ref      string `json:"ref,omitempty" maxLength:"32" doc:"Reference from a snapshot: e12, @e12 or ref=e12" example:"e12"`
	Selector string `json:"selector,omitempty" maxLength:"4096" doc:"CSS selector; pierces open shadow roots" example:"#save"`
	Role     string `json:"role,omitempty" maxLength:"64" doc:"ARIA role; field stands for all roles of a form's fields, control for all that can be acted on" example:"button"`
	Name     string `json:"name,omitempty" maxLength:"1024" doc:"Accessible name, with role: equal, or else contained" example:"Save"`
	Index    *int   `json:"index,omitempty" minimum:"0" doc:"Which of several matches, from 0"`
	Text     string `json:"text,omitempty" maxLength:"1024" doc:"Visible text: equal, or else contained"`
	Strict   bool   `json:"strict,omitempty" doc:"Refuse when more than one element that can be seen matches"`

	X *float64 `json:"x,omitempty" minimum:"0" maximum:"16384" doc:"What receives this point of the viewport; CSS pixels from its left, with y"`
	Y *float64 `json:"y,omitempty" minimum:"0" maximum:"16384" doc:"CSS pixels from its top"`
}

// Sound refuses a second way of naming the element, which would be ignored, and
// a name or index without anything to narrow.
func (l *Locator) Sound() error {
	ways := l.ways()
	if len(ways) > 1 {
		return invalid(ways[1], "is given with "+ways[0]+": each names the element").Hinted("give one of them")
	}
	if (l.X == nil) != (l.Y == nil) {
		return invalid("x", "and y are given together: a point has both").Hinted("give both")
	}
	if l.Role != "" || l.Selector != "" || l.Text != "" {
		return nil
	}
	for _, narrowing := range []struct {
		name string
		is   bool
	}{{"name", l.Name != ""}, {"index", l.Index != nil}} {
		switch {
		case narrowing.is && len(ways) == 0:
			return invalid(narrowing.name, "names no element by itself").Hinted("give a role, a selector or a text with it, or leave %s out", narrowing.name)
		case narrowing.is:
			return invalid(narrowing.name, "does not go with "+ways[0]).Hinted("leave %s out: it would be ignored", narrowing.name)
		}
	}
	return nil
}

// ways lists the fields by which l names the element; x stands for a point.
func (l *Locator) ways() (given []string) {
	for _, way := range []struct {
		name string
		is   bool
	}{{"ref", l.Ref != ""}, {"selector", l.Selector != ""}, {"role", l.Role != ""}, {"text", l.Text != ""}, {"x", l.X != nil || l.Y != nil}} {
		if way.is {
			given = append(given, way.name)
		}
	}
	return given
}

// Zero reports whether l names no element.
func (l Locator) Zero() bool {
	return l.words() && l.X == nil && l.Y == nil
}

// words reports whether l names nothing by ref, selector, role or text.
func (l Locator) words() bool {
	return l.Ref == "" && l.Selector == "" && l.Role == "" && l.Text == ""
}

// Point returns the point of the viewport that l names, in CSS pixels. named is
// false if l names an element in another way, or nothing.
func (l Locator) Point() (x, y float64, named bool) {
	if !l.words() || l.X == nil || l.Y == nil {
		return 0, 0, false
	}
	return *l.X, *l.Y, true
}

// Timing limits the time of a verb.
type Timing struct {
	Timeout int `json:"timeout,omitempty" minimum:"0" maximum:"120000" doc:"Longest time to wait, in milliseconds; 0 is the default"`
}

// Limit returns the limit as a duration; fallback if there is none.
func (t Timing) Limit(fallback time.Duration) time.Duration {
	if t.Timeout <= 0 {
		return fallback
	}
	return min(time.Duration(t.Timeout)*time.Millisecond, 120*time.Second) // the longest that a call may ask for
}

// None is for verbs without arguments.
type None struct{}

// ByID names one thing.
type ByID struct {
	ID string `json:"id" path:"id" minLength:"1" maxLength:"64" doc:"As it was listed"`
}

// Asks reports whether l searches for an element, which may not exist.
func (l Locator) Asks() bool {
	return l.Ref == "" && (l.Selector != "" || l.Role != "" || l.Text != "")
}

// Words describes the element as the caller named it; empty if l names none.
func (l Locator) Words() string {
	switch {
	case l.Ref != "":
		return "ref " + l.Ref
	case l.Selector != "":
		return "selector " + l.Selector
	case l.Role != "":
		return strings.TrimSpace("role " + l.Role + " " + l.Name)
	case l.Text != "":
		return "text " + l.Text
	}
	if x, y, named := l.Point(); named {
		return fmt.Sprintf("the point %g, %g", x, y)
	}
	return ""
}
