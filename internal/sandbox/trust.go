package sandbox

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// TrustPolicyFile is where a box's browser looks for the policy of TrustPolicy.
const TrustPolicyFile = "/etc/chromium/policies/managed/authorities.json"

// TrustPolicy is the part of a browser's managed policy by which it trusts more
// authorities than its own (CACertificates, https://chromeenterprise.google/policies/);
// nil for none.
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
