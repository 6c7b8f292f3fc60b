package injected

import (
	"context"
	"encoding/json"
	"fmt"
)

const (
	ClosedPerCall = 50 // hosts checked in one round; each costs a round trip
	pierceRounds  = 4  // closed roots inside closed roots
)

// Adopt makes a node of the DOM domain known to the world and returns its
// number. The page engine uses it for the owner elements of child frames.
func (f Frame) Adopt(ctx context.Context, backendNode int64) (int, error) {
	object, err := f.remote().resolve(ctx, backendNode)
	if err != nil {
		return 0, err
	}
	defer f.remote().release(object)
	var number int
	err = f.remote().on(ctx, object, "function () { return __glovebox.run('adopt', 'null', this) }", nil, &number)
	return number, err
}

// Pierce passes the closed shadow roots that the world cannot find by itself to
// the world, and returns how many it found. Each host is checked once per
// document, so that a call that finds nothing new costs one round trip.
func (f Frame) Pierce(ctx context.Context) (int, error) {
	var hosts []int
	if err := f.call(ctx, "closedCandidates", HostLimit(f), &hosts); err != nil {
		return 0, err
	}
	return f.PierceHosts(ctx, hosts)
}

// PierceHosts is Pierce for the hosts that a walk found. Without hosts it does
// nothing.
func (f Frame) PierceHosts(ctx context.Context, hosts []int) (int, error) {
	found := 0
	for round := 1; len(hosts) > 0; round++ {
		news := 0
		for _, host := range hosts {
			adopted, err := f.pierceHost(ctx, host)
			if err != nil {
				return found, err
			}
			news += adopted
		}
		found += news
		if round == pierceRounds || news == 0 && len(hosts) < ClosedPerCall {
			return found, nil
		}
		hosts = nil
		if err := f.call(ctx, "closedCandidates", ClosedPerCall, &hosts); err != nil {
			return found, err
		}
	}
	return found, nil
}

// read calls a function that reads the document including closed shadow roots.
// If new ones are found, the function is called again. Usually there are none,
// and the call costs one round trip.
func (f Frame) read(ctx context.Context, function string, arg, result any) error {
	var first struct {
		Value json.RawMessage `json:"value"`
		Hosts []int           `json:"hosts"`
	}
	if err := f.call(ctx, "reading", map[string]any{"name": function, "arg": arg, "limit": HostLimit(f)}, &first); err != nil {
		return err
	}
	news, err := f.PierceHosts(ctx, first.Hosts)
	if err != nil {
		return err
	}
	if news > 0 {
		return f.call(ctx, function, arg, result)
	}
	if err := json.Unmarshal(first.Value, result); err != nil {
		return fmt.Errorf("cannot read the answer of %s: %w", function, err)
	}
	return nil
}

// PierceAt passes the closed shadow root of one element to the world, if it has
// one.
func (f Frame) PierceAt(ctx context.Context, node int) error {
	_, err := f.pierceHost(ctx, node)
	return err
}

type domNode struct {
	Node struct {
		Shadow []struct {
			Backend int64  `json:"backendNodeId"`
			Type    string `json:"shadowRootType"`
		} `json:"shadowRoots"`
	} `json:"node"`
}

func (f Frame) pierceHost(ctx context.Context, host int) (int, error) {
	object, err := f.remote().object(ctx, host)
	if err != nil || object == "" {
		return 0, err
	}
	defer f.remote().release(object)
	var d domNode
	params := map[string]any{"objectId": object, "depth": 0, "pierce": true}
	if err := f.Session.Call(ctx, "DOM.describeNode", params, &d); err != nil {
		return 0, fmt.Errorf("cannot look into a shadow root: %w", err)
	}
	for _, root := range d.Node.Shadow {
		if root.Type != "closed" {
			continue
		}
		shadow, err := f.remote().resolve(ctx, root.Backend)
		if err != nil {
			return 0, err
		}
		defer f.remote().release(shadow)
		const adopt = "function (root) { return __glovebox.run('adoptShadow', 'null', this, root) }"
		return 1, f.remote().on(ctx, object, adopt, []argument{{Object: shadow}}, nil)
	}
	return 0, nil
}

// Backend returns the DOM domain's id of a numbered element, 0 when it is gone.
// Some operations, such as clipping a screenshot, need this id.
func (f Frame) Backend(ctx context.Context, number int) (int64, error) {
	object, err := f.remote().object(ctx, number)
	if err != nil || object == "" {
		return 0, err
	}
	defer f.remote().release(object)
	node, err := f.remote().backendOf(ctx, object)
	if err != nil {
		return 0, fmt.Errorf("cannot describe an element: %w", err)
	}
	return node, nil
}
