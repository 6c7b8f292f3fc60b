package tasks

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// glovebox is Glovebox's own server.
type glovebox struct{ wire }

// again is what Glovebox says of a fault that may be over the next time, such
// as a page that crashed: a reader does so, once.
const again = "The same call may succeed when made again."

func (g *glovebox) act(tool string, args object) error {
	text, err := g.call(tool, args)
	if err != nil && strings.Contains(text, again) {
		text, err = g.call(tool, args)
	}
	if shown, ok := marked(text, "### Snapshot"); ok {
		g.show(shown)
	} else if changes, ok := marked(text, "### Changes"); ok && g.page != nil {
		g.page, g.fresh = g.page.changed(changes), !reordered.MatchString(changes)
	} else if strings.Contains(text, "### Changes\nnone\n") {
		g.fresh = g.page != nil
	}
	return err
}

// reordered are changes after which a reader looks again: rows came, went or
// moved, so that what stands where is not told.
var reordered = regexp.MustCompile(`(?m)^[+~-] +(?:row|listitem|article|option|…)|moved|another order`)

// marked is page text under a heading, without the marks around it.
func marked(text, heading string) (string, bool) {
	under, ok := section(text, heading)
	if !ok {
		return "", false
	}
	_, after, ok := strings.Cut(under, ">\n")
	if !ok {
		return "", false
	}
	inner, _, _ := strings.Cut(after, "\n</untrusted")
	return inner, true
}

func (g *glovebox) open(url string) error { return g.act("browser_navigate", object{"url": url}) }

func (g *glovebox) look() (Page, error) {
	if g.fresh {
		return g.page, nil
	}
	err := g.act("browser_snapshot", object{})
	return g.page, err
}

func (g *glovebox) find(words string) (Page, error) {
	text, err := g.call("browser_find", object{"text": words})
	shown, _ := marked(text, "### Matches")
	return parse(unfolded(shown)), err
}

var besides = regexp.MustCompile(` \(beside ([^)]*)\)`)

// unfolded puts what stands beside a match, on its line, on lines below it.
func unfolded(matches string) string {
	var b strings.Builder
	for line := range strings.Lines(matches) {
		b.WriteString(strings.TrimRight(besides.ReplaceAllString(line, ""), "\n") + "\n")
		if with := besides.FindStringSubmatch(line); with != nil {
			b.WriteString(" " + strings.ReplaceAll(with[1], ", ", "\n ") + "\n")
		}
	}
	return b.String()
}

func (g *glovebox) click(n Node, how string) error {
	args := object{"target": n.Ref}
	switch how {
	case "double":
		args["doubleClick"] = true
	case "right":
		args["button"] = "right"
	}
	return g.act("browser_click", args)
}

func (g *glovebox) form(entries []Entry) error {
	fields := make([]object, len(entries))
	for i, e := range entries {
		fields[i] = object{"target": e.Node.Ref, "type": e.kind(), "value": e.Value}
	}
	return g.act("browser_fill_form", object{"fields": fields})
}

func (g *glovebox) choose(n Node, option string) error {
	return g.act("browser_select_option", object{"target": n.Ref, "values": []string{option}})
}

func (g *glovebox) write(n Node, text string) error {
	return g.act("browser_type", object{"target": n.Ref, "text": text, "clear_first": true})
}

func (g *glovebox) typed(n Node, text string) error {
	return g.act("browser_type", object{"target": n.Ref, "text": text})
}

func (g *glovebox) key(n Node, key string) error {
	return g.act("browser_press_key", onto(object{"key": key}, "target", n))
}

func (g *glovebox) hover(n Node) error { return g.act("browser_hover", object{"target": n.Ref}) }

func (g *glovebox) drag(from, to Node) error {
	return g.act("browser_drag", object{"startTarget": from.Ref, "endTarget": to.Ref})
}

func (g *glovebox) scroll(n Node, down int) error {
	return g.act("browser_scroll", onto(object{"y": down}, "target", n))
}

func (g *glovebox) upload(n Node, name, text string) error {
	return g.act("browser_file_upload", object{"target": n.Ref, "files": []object{{"name": name, "text": text}}})
}

func (g *glovebox) wait(words string, limit time.Duration) error {
	return g.act("browser_wait_for", object{"text": words, "timeout": limit.Seconds()})
}

func (g *glovebox) dialog(accept bool, text string) error {
	return g.act("browser_handle_dialog", object{"accept": accept, "promptText": text})
}

func (g *glovebox) tab(title string) error {
	index, err := g.tabIndex(title)
	if err != nil {
		return err
	}
	return g.act("browser_tabs", object{"action": "select", "index": index})
}

func (g *glovebox) reset() error {
	_ = g.do("browser_handle_dialog", object{"accept": false})
	for g.do("browser_tabs", object{"action": "close", "index": 1}) == nil {
	}
	return g.act("browser_navigate", object{"url": "about:blank"})
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // of digits that a pattern found
	return n
}
