package tasks

import (
	"os"
	"path/filepath"
	"time"
)

// playwright is Playwright's MCP server. Its acts answer with the name of a
// file for the page, which agents have no tool to read: they take a snapshot.
type playwright struct{ wire }

func (p *playwright) open(url string) error { return p.do("browser_navigate", object{"url": url}) }

func (p *playwright) look() (Page, error) {
	if p.fresh {
		return p.page, nil
	}
	text, err := p.call("browser_snapshot", object{})
	shown, _ := section(text, "### Snapshot")
	return p.show(shown), err
}

func (p *playwright) find(words string) (Page, error) {
	text, err := p.call("browser_find", object{"text": words})
	return parse(text), err
}

func (p *playwright) click(n Node, how string) error {
	args := object{"target": n.Ref}
	switch how {
	case "double":
		args["doubleClick"] = true
	case "right":
		args["button"] = "right"
	}
	p.focus = n.Ref
	return p.do("browser_click", args)
}

func (p *playwright) form(entries []Entry) error {
	fields := make([]object, len(entries))
	for i, e := range entries {
		fields[i] = object{"name": e.Node.Name, "target": e.Node.Ref, "type": e.kind(), "value": e.Value}
	}
	return p.do("browser_fill_form", object{"fields": fields})
}

func (p *playwright) choose(n Node, option string) error {
	return p.do("browser_select_option", object{"target": n.Ref, "values": []string{option}})
}

func (p *playwright) write(n Node, text string) error {
	p.focus = n.Ref
	return p.do("browser_type", object{"target": n.Ref, "text": text})
}

func (p *playwright) typed(n Node, text string) error {
	p.focus = n.Ref
	return p.do("browser_type", object{"target": n.Ref, "text": text, "slowly": true})
}

func (p *playwright) key(n Node, key string) error {
	if n.Ref != "" && n.Ref != p.focus {
		if err := p.click(n, ""); err != nil {
			return err
		}
	}
	return p.do("browser_press_key", object{"key": key})
}

func (p *playwright) hover(n Node) error { return p.do("browser_hover", object{"target": n.Ref}) }

func (p *playwright) drag(from, to Node) error {
	return p.do("browser_drag", object{"startTarget": from.Ref, "endTarget": to.Ref})
}

func (p *playwright) scroll(n Node, down int) error {
	for range pages(down) {
		if err := p.key(n, "PageDown"); err != nil {
			return err
		}
	}
	return nil
}

func (p *playwright) upload(n Node, name, text string) error {
	path, err := handed(p.server.Folder(), name, text)
	if err != nil {
		return err
	}
	if err := p.click(n, ""); err != nil {
		return err
	}
	return p.do("browser_file_upload", object{"paths": []string{path}})
}

// handed writes a file to where a server may read it.
func handed(folder, name, text string) (string, error) {
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

func (p *playwright) wait(words string, _ time.Duration) error {
	return p.do("browser_wait_for", object{"text": words})
}

func (p *playwright) dialog(accept bool, text string) error {
	args := object{"accept": accept}
	if text != "" {
		args["promptText"] = text
	}
	return p.do("browser_handle_dialog", args)
}

func (p *playwright) tab(title string) error {
	index, err := p.tabIndex(title)
	if err != nil {
		return err
	}
	return p.do("browser_tabs", object{"action": "select", "index": index})
}

func (p *playwright) reset() error {
	_ = p.do("browser_handle_dialog", object{"accept": false})
	for range 5 {
		_ = p.do("browser_tabs", object{"action": "list"})
		if _, err := tabNumber(p.last, "", `^- (1)\b`); err != nil {
			break
		}
		_ = p.do("browser_tabs", object{"action": "close", "index": 1})
	}
	p.focus = ""
	return p.do("browser_navigate", object{"url": "about:blank"})
}
