package local

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// policyPlace is what sandbox.TrustPolicyFile links to in the all-in-one image:
// the gateway may not write to /etc.
const policyPlace = "/run/glovebox/authorities.json"

// writePolicy writes the policy where browsers look for it, and removes what an
// earlier process of the gateway wrote. Faults: start_failed.
func writePolicy(policy []byte) error {
	if policy == nil {
		if err := os.Remove(policyPlace); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.StartFailed, "%s of an earlier start cannot be removed", policyPlace).
				Hinted("remove it").Because(err)
		}
		return nil
	}
	if to, err := os.Readlink(sandbox.TrustPolicyFile); err != nil || to != policyPlace {
		return fault.New(fault.StartFailed, "browsers of this container would not find the authorities of security.network.ca_file").
			Hinted("build the image anew: glovebox image build --all-in-one").Because(err)
	}
	if err := os.WriteFile(policyPlace, policy, 0o644); err != nil { //nolint:gosec // boxes read it, and Landlock lets them do no more
		return fault.New(fault.StartFailed, "%s cannot be written", policyPlace).
			Hinted("make its folder writable for the gateway").Because(err)
	}
	return nil
}
