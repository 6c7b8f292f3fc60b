package sandbox

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// TrustPolicyFile is where a box's browser reads the policy of TrustPolicy.
const TrustPolicyFile = "/etc/chromium/policies/managed/authorities.json"

// TrustPolicy returns the managed policy that makes a browser trust additional
// certificate authorities (CACertificates,
// https://chromeenterprise.google/policies/), or nil for none.
func TrustPolicy(authorities []*x509.Certificate) ([]byte, error) {
	if len(authorities) == 0 {
		return nil, nil
	}
	encoded := make([]string, len(authorities))
	for i, one := range authorities {
		encoded[i] = base64.StdEncoding.EncodeToString(one.Raw)
	}
	policy, err := json.Marshal(map[string]any{"CACertificates": encoded})
	if err != nil {
		return nil, fmt.Errorf("cannot encode the policy for authorities: %w", err)
	}
	return policy, nil
}
