package tasks

import (
	"strings"
	"time"
)

// devTools is chrome-devtools-mcp.
type devTools struct{ wire }

func (d *devTools) act(tool string, args object) error {
	text, err := d.call(tool, args)
	if shown, ok := section(text, "## Latest page snapshot"); ok {
		d.show(shown)
	}
	return err
}

func (d *devTools) open(url string) error { return d.act("navigate_page", object{"url": url}) }

func (d *devTools) look() (Page, error) {
	if d.fresh {
		return d.page, nil
	}
	err := d.act("take_snapshot", object{})
	return d.page, err
}

func (d *devTools) find(string) (Page, error) { return nil, cannot("find on a page") }

func (d *devTools) click(n Node, how string) error {
	args := object{"uid": n.Ref}
	switch how {
	case "double":
		args["dblClick"] = true
	case "right":
		return cannot("right click")
	}
	d.focus = n.Ref
	return d.act("click", args)
}

func (d *devTools) form(entries []Entry) error {
	elements := make([]object, len(entries))
	for i, e := range entries {
		elements[i] = object{"uid": e.Node.Ref, "value": e.Value}
	}
	return d.act("fill_form", object{"elements": elements})
}

func (d *devTools) choose(n Node, option string) error { return d.write(n, option) }

func (d *devTools) write(n Node, text string) error {
	d.focus = n.Ref
	return d.act("fill", object{"uid": n.Ref, "value": text})
}

func (d *devTools) typed(n Node, text string) error {
	if n.Ref != d.focus {
		if err := d.click(n, ""); err != nil {
			return err
		}
	}
	return d.act("type_text", object{"text": text})
}

func (d *devTools) key(n Node, key string) error {
	if n.Ref != "" && n.Ref != d.focus {
		if err := d.click(n, ""); err != nil {
			return err
		}
	}
	return d.act("press_key", object{"key": key})
}

func (d *devTools) hover(n Node) error { return d.act("hover", object{"uid": n.Ref}) }

func (d *devTools) drag(from, to Node) error {
	return d.act("drag", object{"from_uid": from.Ref, "to_uid": to.Ref})
}

func (d *devTools) scroll(n Node, down int) error {
	for range pages(down) {
		if err := d.key(n, "PageDown"); err != nil {
			return err
		}
	}
	return nil
}

func (d *devTools) upload(n Node, name, text string) error {
	path, err := handed(d.server.Folder(), name, text)
	if err != nil {
		return err
	}
	return d.act("upload_file", object{"uid": n.Ref, "filePaths": []string{path}})
}

func (d *devTools) wait(words string, limit time.Duration) error {
	return d.act("wait_for", object{"text": []string{words}, "timeout": milliseconds(limit)})
}

func (d *devTools) dialog(accept bool, text string) error {
	args := object{"action": "dismiss"}
	if accept {
		args["action"] = "accept"
	}
	if text != "" {
		args["promptText"] = text
	}
	return d.act("handle_dialog", args)
}

func (d *devTools) tab(title string) error {
	if err := d.act("list_pages", object{}); err != nil {
		return err
	}
	number, err := tabNumber(d.last, title, `^(\d+): `)
	if err != nil {
		return err
	}
	return d.act("select_page", object{"pageId": atoi(number)})
}

func (d *devTools) reset() error {
	_ = d.act("handle_dialog", object{"action": "dismiss"})
	_ = d.act("list_pages", object{})
	first, _ := tabNumber(d.last, "", `^(\d+): `)
	for range 5 {
		_, rest, _ := strings.Cut(d.last, "\n"+first+": ")
		other, err := tabNumber(rest, "", `^(\d+): `)
		if err != nil {
			break
		}
		_ = d.act("close_page", object{"pageId": atoi(other)})
		_ = d.act("list_pages", object{})
	}
	d.focus = ""
	return d.act("navigate_page", object{"url": "about:blank"})
}
