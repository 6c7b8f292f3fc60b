package local

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// policyFile is the target of the link sandbox.TrustPolicyFile in the all-in-one
// image, because the gateway may not write to /etc.
const policyFile = "/run/glovebox/authorities.json"

// checkPolicyLink returns why browsers would not find the policy. Faults:
// start_failed.
func checkPolicyLink(policy []byte) error {
	if policy == nil {
		return nil
	}
	if to, err := os.Readlink(sandbox.TrustPolicyFile); err != nil || to != policyFile {
		return fault.New(fault.StartFailed, "browsers of this container would not find the authorities of security.network.ca_file").
			Hinted("build the image anew: glovebox image build --all-in-one").Because(err)
	}
	return nil
}

// writePolicy writes the policy of this gateway before a browser is started, and
// removes the policy of another process that used the container before. Faults:
// start_failed.
func writePolicy(policy []byte) error {
	unwritable := func(err error) error {
		return fault.New(fault.StartFailed, "%s cannot be written", policyFile).
			Hinted("make its folder writable for the gateway").Because(err)
	}
	there, err := os.ReadFile(policyFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && policy == nil, err == nil && policy != nil && bytes.Equal(there, policy):
		return nil
	case policy == nil:
		if err := os.Remove(policyFile); err != nil {
			return unwritable(err)
		}
		return nil
	}
	next := policyFile + ".new"                               // renamed when complete, because browsers of other boxes may read it
	if err := os.WriteFile(next, policy, 0o644); err != nil { //nolint:gosec // boxes must read it, and Landlock denies them the rest
		return unwritable(err)
	}
	if err := os.Rename(next, policyFile); err != nil {
		return unwritable(err)
	}
	return nil
}
