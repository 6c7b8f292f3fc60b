package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// floorHand is a bare client of the browser's protocol as an agent's hand: the
// fewest calls, no checks, and after each act the page as its simple walker
// sees it, which numbers what can be acted on in an attribute. It reads frames, but
// acts in none, and it enters no shadow root.
type floorHand struct {
	ctx context.Context
	b   *testing.B
	f   *floor
}

// newFloorHand drives a headless Chromium on this machine.
func newFloorHand(b *testing.B) floorHand {
	b.Helper()
	return handOver(b, chromium(b))
}

// newBoxedHand drives the Chromium of a box, and returns what ends the box.
func newBoxedHand(b *testing.B, site *mcpSite) (floorHand, func(), error) {
	b.Helper()
	x, err := startBoxed(b, site.own, site.other)
	if err != nil {
		return floorHand{}, nil, err
	}
	return handOver(b, x.stream), func() { must(b, x.end(testwait.Context(b))) }, nil
}

// handOver opens a page of the same size as the servers'.
func handOver(b *testing.B, t cdp.Transport) floorHand {
	b.Helper()
	f := newFloor(b.Context(), b, t)
	must(b, f.tab.Call(b.Context(), "Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil))
	f.readFrames(b.Context(), b)
	return floorHand{b.Context(), b, f}
}

const numbered = `(() => {
  const roles = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', INPUT: 'textbox', H1: 'heading', H2: 'heading', H3: 'heading'};
  const out = [], words = e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join(' ').trim();
  const visit = (e, depth) => {
    const r = e.getBoundingClientRect();
    if (r.width === 0 || r.height === 0 || getComputedStyle(e).visibility !== 'visible') return;
    const own = words(e);
    const role = e.type === 'checkbox' ? 'checkbox' : e.getAttribute('role') || roles[e.tagName] || 'text';
    const acts = /^(A|BUTTON|INPUT|SELECT|TEXTAREA)$/.test(e.tagName);
    if (own || acts) {
      const name = e.getAttribute('aria-label') || (e.labels && e.labels[0] ? words(e.labels[0]) : own);
      if (acts) { window.floorCount = window.floorCount || 0; if (!e.dataset.floor) e.dataset.floor = ++window.floorCount; }
      out.push(' '.repeat(depth) + role + ' "' + name + '"' + (acts ? ' #' + e.dataset.floor : '') + (e.value && acts ? ' ' + e.value : ''));
    }
    for (const c of e.children) visit(c, depth + 1);
    if (e.tagName === 'IFRAME' && e.contentDocument && e.contentDocument.body) visit(e.contentDocument.body, depth + 1);
  };
  visit(document.body, 0);
  return document.title + '\n' + out.join('\n');
})()`

func (h floorHand) open(url string) (string, error) {
	h.f.load(url)
	return h.look()
}

func (h floorHand) look() (string, error) {
	return h.f.everywhere(h.ctx, numbered)
}

func (h floorHand) click(ref string, loads bool) (string, error) {
	if !loads {
		h.f.click(h.ctx, h.b, ref)
		return h.look()
	}
	h.f.follow(func() { h.f.click(h.ctx, h.b, ref) })
	return h.look()
}

func (h floorHand) fill(ref, text string) (string, error) {
	h.f.fill(h.ctx, h.b, ref, text)
	return h.look()
}

func (h floorHand) choose(ref, option string) (string, error) {
	h.f.evaluate(h.ctx, h.b, fmt.Sprintf(`(() => {const e = document.querySelector(%q); e.value = [...e.options].find(o => o.label === %q).value; e.dispatchEvent(new Event('change', {bubbles: true})); return true})()`, ref, option), nil)
	return h.look()
}

// press sends a key, which is one of the arrows.
func (h floorHand) press(key string) (string, error) {
	code, known := map[string]int{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
	if !known {
		return "", fmt.Errorf("the floor has no key %q", key)
	}
	var pending []*cdp.Pending
	for _, kind := range []string{"keyDown", "keyUp"} {
		pending = append(pending, h.f.tab.Send("Input.dispatchKeyEvent", object{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}))
	}
	for _, p := range pending {
		if err := p.Wait(h.ctx, nil); err != nil {
			return "", err
		}
	}
	return h.look()
}

func (h floorHand) hover(ref string) (string, error) {
	h.f.hover(h.ctx, h.b, ref)
	return h.look()
}

func (h floorHand) form(fields []field) (string, error) {
	for _, f := range fields {
		h.f.fill(h.ctx, h.b, f.ref, f.value)
	}
	return h.look()
}

func (h floorHand) evaluate(expression string) (string, error) {
	var value json.RawMessage
	h.f.evaluate(h.ctx, h.b, expression, &value)
	return string(value), nil
}

// await hears of each change of the tree.
func (h floorHand) await(text string) (string, error) {
	err := h.f.tab.Call(h.ctx, "Runtime.evaluate", object{"awaitPromise": true, "returnByValue": true, "expression": fmt.Sprintf(`new Promise(done => {
  const there = () => document.body.innerText.includes(%q);
  if (there()) return done(true);
  new MutationObserver((_, o) => { if (there()) { o.disconnect(); done(true); } }).observe(document, {subtree: true, childList: true, characterData: true});
})`, text)}, nil)
	return "", err
}

func (h floorHand) shoot() (int, error) {
	var shot struct{ Data string }
	err := h.f.tab.Call(h.ctx, "Page.captureScreenshot", object{"format": "png", "optimizeForSpeed": true}, &shot)
	return decoded(shot.Data), err
}

func (h floorHand) ref(text, role, name string) string {
	if number := find(`^ *ROLE "NAME" #(\d+)`, text, role, name); number != "" {
		return `[data-floor="` + number + `"]`
	}
	return ""
}
