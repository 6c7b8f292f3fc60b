package tasks

import (
	"strings"
	"time"
)

// agentBrowser is agent-browser's MCP server with the tools it has by default.
type agentBrowser struct{ wire }

func (b *agentBrowser) use(tool string, args object) error {
	return b.do("agent_browser_"+tool, args)
}

func (b *agentBrowser) open(url string) error { return b.use("open", object{"url": url}) }

// look asks for the page with its texts, which are left out by default.
func (b *agentBrowser) look() (Page, error) {
	if b.fresh {
		return b.page, nil
	}
	text, err := b.call("agent_browser_snapshot", object{"interactive": false, "compact": true})
	return b.show(text), err
}

func (b *agentBrowser) find(string) (Page, error) { return nil, cannot("find on a page") }

func (b *agentBrowser) click(n Node, how string) error {
	if how != "" {
		return cannot(how + " click")
	}
	b.focus = n.Ref
	return b.use("click", object{"selector": "@" + n.Ref})
}

func (b *agentBrowser) form(entries []Entry) error {
	for _, e := range entries {
		if err := b.enter(e); err != nil {
			return err
		}
	}
	return nil
}

func (b *agentBrowser) enter(e Entry) error {
	switch kind := e.kind(); {
	case kind == "combobox":
		return b.choose(e.Node, e.Value)
	case kind == "textbox":
		return b.write(e.Node, e.Value)
	case e.Value == "true":
		return b.use("check", object{"selector": "@" + e.Node.Ref})
	}
	return b.use("uncheck", object{"selector": "@" + e.Node.Ref})
}

func (b *agentBrowser) choose(n Node, option string) error {
	return b.use("select", object{"selector": "@" + n.Ref, "values": []string{option}})
}

func (b *agentBrowser) write(n Node, text string) error {
	b.focus = n.Ref
	return b.use("fill", object{"selector": "@" + n.Ref, "text": text})
}

func (b *agentBrowser) typed(n Node, text string) error {
	b.focus = n.Ref
	return b.use("type", object{"selector": "@" + n.Ref, "text": text})
}

func (b *agentBrowser) key(n Node, key string) error {
	if n.Ref != "" && n.Ref != b.focus {
		if err := b.click(n, ""); err != nil {
			return err
		}
	}
	return b.use("press", object{"key": key})
}

func (b *agentBrowser) hover(Node) error { return cannot("hover") }

func (b *agentBrowser) drag(_, _ Node) error { return cannot("drag") }

func (b *agentBrowser) scroll(n Node, down int) error {
	args := object{"direction": "down", "amount": down}
	if n.Ref != "" {
		args["selector"] = "@" + n.Ref
	}
	return b.use("scroll", args)
}

func (b *agentBrowser) upload(Node, string, string) error { return cannot("upload") }

func (b *agentBrowser) wait(words string, limit time.Duration) error {
	return b.use("wait_for_text", object{"text": words, "waitTimeoutMs": milliseconds(limit)})
}

func (b *agentBrowser) dialog(bool, string) error { return cannot("answer a dialog") }

func (b *agentBrowser) tab(title string) error {
	if err := b.use("tab_list", object{}); err != nil {
		return err
	}
	number, err := tabNumber(strings.ReplaceAll(strings.ReplaceAll(b.last, "\n", " "), "}", "}\n"), title, `"tabId": "(t\d+)"`)
	if err != nil {
		return err
	}
	return b.use("tab_switch", object{"tab": number})
}

func (b *agentBrowser) reset() error {
	for range 5 {
		_ = b.use("tab_list", object{})
		if strings.Count(b.last, `"tabId"`) < 2 {
			break
		}
		_ = b.use("tab_close", object{})
	}
	b.focus = ""
	return b.use("open", object{"url": "about:blank"})
}
