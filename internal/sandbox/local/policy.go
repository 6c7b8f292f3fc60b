package local

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// policyPlace is what sandbox.TrustPolicyFile links to in the all-in-one image:
// the gateway may not write to /etc.
const policyPlace = "/run/glovebox/authorities.json"

// policyFindable reports why browsers would not find a policy. Faults:
// start_failed.
func policyFindable(policy []byte) error {
	if policy == nil {
		return nil
	}
	if to, err := os.Readlink(sandbox.TrustPolicyFile); err != nil || to != policyPlace {
		return fault.New(fault.StartFailed, "browsers of this container would not find the authorities of security.network.ca_file").
			Hinted("build the image anew: glovebox image build --all-in-one").Because(err)
	}
	return nil
}

// writePolicy has the browser of a box that is about to start find the policy of
// this gateway, and none of another process that used the container before.
// Faults: start_failed.
func writePolicy(policy []byte) error {
	unwritable := func(err error) error {
		return fault.New(fault.StartFailed, "%s cannot be written", policyPlace).
			Hinted("make its folder writable for the gateway").Because(err)
	}
	there, err := os.ReadFile(policyPlace)
	switch {
	case errors.Is(err, fs.ErrNotExist) && policy == nil, err == nil && policy != nil && bytes.Equal(there, policy):
		return nil
	case policy == nil:
		if err := os.Remove(policyPlace); err != nil {
			return unwritable(err)
		}
		return nil
	}
	next := policyPlace + ".new"                              // renamed when it is whole: browsers of other boxes may read
	if err := os.WriteFile(next, policy, 0o644); err != nil { //nolint:gosec // boxes read it, and Landlock lets them do no more
		return unwritable(err)
	}
	if err := os.Rename(next, policyPlace); err != nil {
		return unwritable(err)
	}
	return nil
}
