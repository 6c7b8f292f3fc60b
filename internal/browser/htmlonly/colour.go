package htmlonly

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// near is the sum of the differences of red, green and blue that no eye
// separates, as inpage has it.
const near = 14

type colour [3]int

var (
	named = map[string]colour{
		"black": {}, "white": {255, 255, 255}, "red": {255, 0, 0}, "green": {0, 128, 0}, "blue": {0, 0, 255}, "navy": {0, 0, 128}, "gray": {128, 128, 128}, "grey": {128, 128, 128},
		"silver": {192, 192, 192}, "maroon": {128, 0, 0}, "purple": {128, 0, 128}, "teal": {0, 128, 128}, "yellow": {255, 255, 0}, "orange": {255, 165, 0},
		"lightgray": {211, 211, 211}, "lightgrey": {211, 211, 211}, "darkgray": {169, 169, 169}, "darkgrey": {169, 169, 169}, "whitesmoke": {245, 245, 245},
	}
	short = regexp.MustCompile(`^#([0-9a-f])([0-9a-f])([0-9a-f])$`)
	long  = regexp.MustCompile(`^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$`)
)

// colours notes a colour; any that is not known makes a page one for the
// browser.
func (p *Page) colours(into *[]colour, value string) bool {
	switch value {
	case "inherit", "currentcolor":
		return into == &p.front
	case "none", "transparent":
		return into == &p.ground
	}
	c, known := named[value]
	if m := short.FindStringSubmatch(value); m != nil {
		known = true
		for i := range c {
			c[i] = hex(m[i+1] + m[i+1])
		}
	}
	if m := long.FindStringSubmatch(value); m != nil {
		known = true
		for i := range c {
			c[i] = hex(m[i+1])
		}
	}
	*into = append(*into, c)
	return known
}

func hex(digits string) int {
	n, _ := strconv.ParseUint(digits, 16, 8) // the pattern has taken digits alone
	return int(n)
}

// contrast reports whether no text of the page can have the colour of what is
// behind it, whichever rules win.
func (p *Page) contrast() bool {
	front := append([]colour{{}, {0, 0, 238}, {85, 26, 139}}, p.front...)
	for _, behind := range append([]colour{{255, 255, 255}}, p.ground...) {
		for _, c := range front {
			if abs(c[0]-behind[0])+abs(c[1]-behind[1])+abs(c[2]-behind[2]) < near {
				return false
			}
		}
	}
	return true
}

func abs(n int) int { return max(n, -n) }

var sizes = regexp.MustCompile(`^(\d*\.?\d+)(px|pt|em|rem|%)$`)

// size takes in the size of letters: as a part of the parent's, or fixed.
func (p *Page) size(r *rule, value string) bool {
	switch value {
	case "inherit", "medium", "large", "larger", "x-large", "xx-large":
		return true
	case "small", "smaller", "x-small":
		value = "0.6em"
	}
	m := sizes.FindStringSubmatch(value)
	if m == nil {
		return false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n > 1000 {
		return false
	}
	switch m[2] {
	case "px", "pt":
		n /= 16
		if n >= 0.5 {
			n = 1
		}
	case "%":
		n /= 100
	}
	for _, node := range r.nodes {
		if l := p.look(node); n < 1 && (l.shrink == 0 || n < l.shrink) {
			l.shrink = n
		}
	}
	return true
}

// smaller are the elements whose letters are smaller by themselves.
var smaller = map[string]float64{"small": 0.83, "sub": 0.83, "sup": 0.83, "h5": 0.83, "h6": 0.67, "code": 0.81, "kbd": 0.81, "pre": 0.81, "samp": 0.81, "tt": 0.81, "button": 0.81}

// legible reports whether letters are nowhere too small to be read, whichever
// rules win.
func (p *Page) legible(n *html.Node, size float64) bool {
	if n.Type == html.ElementNode {
		if by, is := smaller[n.Data]; is {
			size *= by
		}
		if l := p.looks[n]; l != nil && l.shrink > 0 {
			size *= l.shrink
		}
	}
	if n.Type == html.TextNode && size < leastSize && strings.TrimSpace(n.Data) != "" && tags[n.Parent.Data] != silent {
		return false
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if !p.legible(child, size) {
			return false
		}
	}
	return true
}
