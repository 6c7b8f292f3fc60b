package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

const (
	valSchemas   = "tokens of tool schemas"
	valTools     = "tools"
	valChange    = "tokens of a click that changes two nodes"
	valReal      = "tokens of a snapshot of a real page"
	valFrames    = "controls in frames and shadow roots, of 7"
	valTaskMS    = "task of 20 steps, ms"
	valTaskCalls = "task of 20 steps, calls"
	valTaskRead  = "task of 20 steps, tokens read"
	valSessions  = "4 sessions at once, actions/s"
	valMemory    = "memory at start, MB"
	valMemory200 = "memory after 200 actions, MB"
	valMemoryEnd = "memory after 2,000 actions, MB"
	valGateway   = "gateway, one session, MB"
)

// schemas counts what a client puts before the model: name, description and
// input schema of each tool.
func (c *comparison) schemas() {
	for _, t := range c.here() {
		if t.server == nil {
			continue
		}
		var all []object
		for _, tool := range t.server.Tools() {
			all = append(all, object{"name": tool.Name, "description": tool.Description, "input_schema": tool.InputSchema})
		}
		text, err := json.Marshal(all)
		must(c.b, err)
		t.values[valSchemas], t.values[valTools] = float64(tokens(string(text))), float64(len(all))
	}
}

// changes counts what is read of a click that changes two nodes.
func (c *comparison) changes() {
	for _, t := range c.here() {
		read, err := c.change(t.hand)
		if err != nil {
			c.failed(t, valChange, err)
			continue
		}
		t.values[valChange] = float64(read)
	}
}

func (c *comparison) change(h hand) (int, error) {
	if _, err := c.at(h, "/small", [2]string{"button", "Add one"}); err != nil {
		return 0, err
	}
	var read []int
	m := &mind{hand: h}
	for i := range fewest {
		before := m.tokens
		ref, err := m.known("button", "Add one")
		if err != nil {
			return 0, err
		}
		if i == 0 {
			before = m.tokens // looking for it was before
		}
		text, err := h.click(ref, false)
		if err != nil {
			return 0, err
		}
		m.read(text)
		if err := m.sees(fmt.Sprintf("Added number %d", i+1)); err != nil {
			return 0, err
		}
		read = append(read, m.tokens-before)
	}
	slices.Sort(read)
	return read[len(read)/2], nil
}

// snapshots counts what is read to know each of the real pages: the median.
func (c *comparison) snapshots() {
	for _, t := range c.here() {
		var read []int
		var err error
		for _, name := range realPages {
			if _, err = t.hand.open(c.site.own + "/real/" + name); err != nil {
				break
			}
			var text string
			if text, err = t.hand.look(); err != nil {
				break
			}
			read = append(read, tokens(text))
		}
		if err != nil {
			c.failed(t, valReal, err)
			continue
		}
		say("%s, tokens of real pages: %v", t.kind, read)
		slices.Sort(read)
		t.values[valReal] = float64(read[len(read)/2])
	}
}

// frames finds and presses seven controls that the document's own tree does
// not hold. The site says which were pressed.
func (c *comparison) frames() {
	for _, t := range c.here() {
		if t.server == nil {
			continue // the floor acts in no frame
		}
		c.site.forget()
		if _, err := t.hand.open(c.site.own + "/frames"); err != nil {
			c.failed(t, valFrames, err)
			continue
		}
		pressed := 0
		for _, name := range controls {
			if err := c.press(t.hand, name); err != nil {
				say("%s, control %s: %.300s", t.kind, name, err)
				continue
			}
			pressed++
		}
		t.values[valFrames] = float64(pressed)
	}
}

const pressLimit = 5 * time.Second // for a press to reach the site

func (c *comparison) press(h hand, name string) error {
	m := &mind{hand: h}
	ref, err := m.known("button", "Press "+name)
	if err != nil {
		return err
	}
	if _, err := h.click(ref, false); err != nil {
		return err
	}
	select {
	case <-c.site.button(name):
		return nil
	case <-time.After(pressLimit):
		return fmt.Errorf("the press did not reach the site")
	}
}

const taskRounds = 3 // the first is not counted

// tasks has everybody do the task, in turns.
func (c *comparison) tasks() {
	took, calls, read := map[*target][]time.Duration{}, map[*target]int{}, map[*target]int{}
	for round := range taskRounds {
		for i, t := range c.here() {
			if t.notes[valTaskMS] != nil {
				continue
			}
			start := time.Now()
			m, err := work(t.hand, c.site, fmt.Sprintf("alone-%d-%d", round, i))
			if err != nil {
				c.failed(t, valTaskMS, err)
				continue
			}
			say("%-24s task, round %d: %.0f ms, %d calls, %d tokens", t.kind, round, milliseconds(time.Since(start)), m.calls, m.tokens)
			if round > 0 {
				took[t] = append(took[t], time.Since(start))
			}
			calls[t], read[t] = m.calls, m.tokens
		}
	}
	for t, all := range took {
		t.values[valTaskMS], t.values[valTaskCalls], t.values[valTaskRead] = milliseconds(median(all)), float64(calls[t]), float64(read[t])
		say("%-24s task: %.0f ms, %d calls, %d tokens", t.kind, t.values[valTaskMS], calls[t], read[t])
	}
}

const (
	crew      = 4
	crewLimit = 10 * time.Second // of a crew's work
	crewTasks = 4                // tasks each does, when there is time
)

// sessions has four agents do the task side by side, each server alone on the
// machine but for the idle others.
func (c *comparison) sessions() {
	for _, t := range c.here() {
		rate, err := c.together(t)
		if err != nil {
			c.failed(t, valSessions, err)
			continue
		}
		t.values[valSessions] = rate
		say("%-24s %.1f actions/s", t.kind, rate)
	}
}

func (c *comparison) together(t *target) (float64, error) {
	hands, end, err := c.crew(t)
	if err != nil {
		return 0, err
	}
	defer end()
	ctx, cancel := c.bounded(crewLimit)
	defer cancel()
	for i, h := range hands { // what is slow the first time only
		if _, err := h.open(c.site.own + "/work/first" + fmt.Sprint(i) + "/jobs"); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	done, faults := make([]int, len(hands)), make([]error, len(hands))
	var all sync.WaitGroup
	for i, h := range hands {
		all.Go(func() {
			for run := range crewTasks {
				if run > 0 && ctx.Err() != nil {
					return
				}
				if _, faults[i] = work(h, c.site, fmt.Sprintf("%d-%d-%d", start.UnixNano(), i, run)); faults[i] != nil {
					return
				}
				done[i] += len(task)
			}
		})
	}
	all.Wait()
	took := time.Since(start).Seconds()
	actions := 0
	for i := range hands {
		if faults[i] != nil {
			return 0, faults[i]
		}
		actions += done[i]
	}
	return float64(actions) / took, nil
}

// crew are four of a kind, and what ends them.
func (c *comparison) crew(t *target) ([]hand, func(), error) {
	var hands []hand
	switch t.kind {
	case floorKind:
		for range crew {
			hands = append(hands, newFloorHand(c.b))
		}
		return hands, func() {}, nil
	case boxedKind:
		return c.boxedCrew()
	}
	servers, err := peer.Open(c.b, t.kind, crew, c.site.own, c.site.other)
	end := func() {
		for _, s := range servers {
			s.Close()
		}
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	for _, s := range servers {
		hands = append(hands, handOf(c.b.Context(), s, nil))
	}
	return hands, end, nil
}

// boxedCrew are four bare clients, each with a box.
func (c *comparison) boxedCrew() ([]hand, func(), error) {
	var hands []hand
	var ends []func()
	end := func() {
		for _, one := range ends {
			one()
		}
	}
	for range crew {
		h, one, err := newBoxedHand(c.b, c.site)
		if err != nil {
			end()
			return nil, nil, err
		}
		hands, ends = append(hands, h), append(ends, one)
	}
	return hands, end, nil
}

const (
	memoryLimit = 60 * time.Second // for one to act so often
	actionsSome = 200
	actionsMany = 2000
)

// memory has everybody act again and again, one after the other, and reads
// what their servers hold: each in a new server, so that nothing else was done.
func (c *comparison) memory() {
	for _, t := range c.here() {
		if t.server == nil {
			continue
		}
		ctx, cancel := c.bounded(memoryLimit)
		values, err := c.grow(ctx, t.kind)
		cancel()
		maps.Copy(t.values, values)
		if err != nil {
			t.notes[valMemoryEnd] = err
			say("%s, memory: %v", t.kind, err)
		}
		say("%-24s memory %v", t.kind, values)
	}
}

// grow returns what was reached when ctx ended: that is no error, a server
// that fails is one.
func (c *comparison) grow(ctx context.Context, kind peer.Kind) (map[string]float64, error) {
	servers, err := peer.Open(c.b, kind, 1, c.site.own, c.site.other)
	if err != nil {
		return nil, err
	}
	s := servers[0]
	defer s.Close()
	h := handOf(c.b.Context(), s, nil)
	refs, err := c.at(h, "/small", [2]string{"button", "Add one"}, [2]string{"textbox", "Name"})
	if err != nil {
		return nil, err
	}
	values := map[string]float64{valMemory: megabytes(s.Memory())}
	if kind == peer.Glovebox {
		values[valGateway] = megabytes(s.GatewayMemory())
	}
	for i := 1; i <= actionsMany && ctx.Err() == nil; i++ {
		if i%2 == 0 {
			_, err = h.click(refs[0], false)
		} else {
			_, err = h.fill(refs[1], fmt.Sprintf("text %d", i))
		}
		if err != nil {
			return values, err
		}
		switch i {
		case actionsSome:
			values[valMemory200] = megabytes(s.Memory())
		case actionsMany:
			values[valMemoryEnd] = megabytes(s.Memory())
		}
	}
	return values, nil
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
