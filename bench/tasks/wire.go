package tasks

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

type object = map[string]any

// wire is what every server's hands begin with: calls, and what they cost.
type wire struct {
	ctx    context.Context
	server *peer.Server
	calls  int
	tokens int // of all answers, in o200k
	last   string
	page   Page // as it was shown last
	fresh  bool // whether nothing was done since
	focus  string
}

var encoding = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// call calls a tool and counts it. Pages are not fresh afterwards.
func (w *wire) call(tool string, args object) (string, error) {
	codec, err := encoding()
	if err != nil {
		return "", fmt.Errorf("cannot count tokens: %w", err)
	}
	text, err := w.server.Call(w.ctx, tool, args)
	w.calls++
	tokens, countErr := codec.Count(text)
	if countErr != nil {
		return "", fmt.Errorf("cannot count tokens: %w", countErr)
	}
	w.tokens += tokens
	w.last, w.fresh = text, false
	return text, err
}

// do is call for tools whose answer shows no page.
func (w *wire) do(tool string, args object) error {
	_, err := w.call(tool, args)
	return err
}

func (w *wire) said() string { return w.last }

const thinking = 200 * time.Millisecond // less than any model takes between two calls

func (w *wire) think() error {
	w.fresh = false
	select {
	case <-time.After(thinking):
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

func (w *wire) show(text string) Page {
	w.page, w.fresh = parse(text), true
	return w.page
}

// onto is args with a node's reference, where it has one.
func onto(args object, name string, n Node) object {
	if n.Ref == "" {
		return args
	}
	all := maps.Clone(args)
	all[name] = n.Ref
	return all
}

// section is the part of an answer under a heading, up to the next one.
func section(text, heading string) (string, bool) {
	_, after, found := strings.Cut("\n"+text, "\n"+heading)
	if !found {
		return "", false
	}
	_, after, _ = strings.Cut(after, "\n")
	if end := regexp.MustCompile(`(?m)^#{2,3} `).FindStringIndex(after); end != nil {
		after = after[:end[0]]
	}
	return after, true
}

// tabNumber is the first group of a pattern on the line of a listing that has
// a title; on the first line with the pattern for an empty title.
func tabNumber(listing, title, pattern string) (string, error) {
	shape := regexp.MustCompile(pattern)
	for line := range strings.Lines(listing) {
		if found := shape.FindStringSubmatch(line); found != nil && strings.Contains(line, title) {
			return found[1], nil
		}
	}
	return "", fmt.Errorf("no tab %q in %q", title, listing)
}

// tabIndex asks where in browser_tabs a title is: two servers list alike.
func (w *wire) tabIndex(title string) (int, error) {
	if err := w.do("browser_tabs", object{"action": "list"}); err != nil {
		return 0, err
	}
	number, err := tabNumber(w.last, title, `^- (\d+)`)
	return atoi(number), err
}

// pages is how many times PageDown is pressed to go so many pixels down.
func pages(down int) int { return max(1, down/600) }

func milliseconds(d time.Duration) int { return int(d / time.Millisecond) }
