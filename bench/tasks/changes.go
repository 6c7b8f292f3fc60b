package tasks

import "strings"

// changed is the page after lines of changes: "+" came, "-" went, "~" is
// different now. A model has both in its context, and so has a script. What
// came stands at the end, after what was there.
func (p Page) changed(lines string) Page {
	next := append(Page{}, p...)
	var came []string
	for line := range strings.Lines(lines) {
		sign, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch sign {
		case "+":
			came = append(came, rest)
		case "-":
			next = next.without(parse(rest))
		case "~":
			next = next.with(parse(rest))
		}
	}
	return append(next, parse(strings.Join(came, "\n"))...)
}

// with puts nodes in the place of those with their reference.
func (p Page) with(nodes Page) Page {
	for _, n := range nodes {
		at := p.index(n)
		if at < 0 {
			p = append(p, n)
			continue
		}
		p[at] = n
	}
	return p
}

func (p Page) without(nodes Page) Page {
	for _, n := range nodes {
		if at := p.index(n); at >= 0 {
			p = append(p[:at], p[at+1:]...)
		}
	}
	return p
}

func (p Page) index(n Node) int {
	for i, other := range p {
		if other.Role == n.Role && other.Ref == n.Ref && (n.Ref != "" || other.Name == n.Name) {
			return i
		}
	}
	return -1
}
