package vaulttest_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials/source/vaulttest"
)

// TestAnswersAreThoseOfARealVault makes the same requests of this server and of
// a real one: each has the same status, and the same members of the same types.
func TestAnswersAreThoseOfARealVault(t *testing.T) {
	real := vaulttest.StartReal(t)
	real.Mount("store")
	role, secret := real.Role("machines", "1h", "store/data/browser/*", "store/metadata/browser/*")
	ours := vaulttest.Start(t, vaulttest.Options{Mount: "store", AppRole: "machines"})
	ourRole, ourSecret := ours.Role(vaulttest.Grant{Paths: []string{"store/data/browser/*", "store/metadata/browser/*"}, TTL: time.Hour})
	sides := []*side{
		{caller: caller{t, real.URL, &http.Client{}}, root: real.Root, role: role, secret: secret},
		{caller: callerOf(t, ours), root: ours.Root(), role: ourRole, secret: ourSecret},
	}
	for _, step := range steps {
		var got []string
		for _, s := range sides {
			got = append(got, s.do(step))
		}
		if got[0] != got[1] {
			t.Errorf("%s\na real one answers\n%s\nand this\n%s", step, got[0], got[1])
		}
	}
}

// steps are requests: who, method, path and body. What is in braces a side
// fills in.
var steps = []string{
	"nobody GET sys/health",
	"nobody POST auth/machines/login {\"role_id\": \"{role}\", \"secret_id\": \"{secret}\"}",
	"nobody POST auth/machines/login {\"role_id\": \"{role}\", \"secret_id\": \"wrong\"}",
	"nobody POST auth/machines/login {\"role_id\": \"wrong\", \"secret_id\": \"{secret}\"}",
	"nobody POST auth/machines/login {\"secret_id\": \"{secret}\"}",
	"agent GET auth/token/lookup-self",
	"agent POST auth/token/renew-self {}",
	"agent POST auth/token/renew-self",
	"agent PUT auth/token/renew-self {\"increment\": \"30m\"}",
	"agent POST auth/token/renew-self {\"increment\": 600}",
	"root GET auth/token/lookup-self",
	"root POST auth/token/renew-self {}",
	"root POST store/data/browser/github.com {\"data\": {\"n\": \"one\"}}",
	"root POST store/data/browser/github.com {\"data\": {\"n\": \"two\"}}",
	"root POST store/data/browser/deep/er {\"data\": {\"n\": \"two\"}}",
	"root POST store/data/other {\"data\": {\"n\": \"two\"}}",
	"root POST store/data/browser/github.com {}",
	"agent GET store/data/browser/github.com",
	"agent GET store/data/browser/github.com?version=1",
	"agent GET store/data/browser/github.com?version=0",
	"agent GET store/data/browser/github.com?version=9",
	"agent GET store/data/browser/github.com?version=x",
	"agent GET store/data/browser/nothing",
	"agent GET store/data/other",
	"agent LIST store/metadata/browser",
	"agent LIST store/metadata/browser/",
	"agent GET store/metadata/browser/?list=true",
	"agent LIST store/metadata/browser/nothing/",
	"agent LIST store/metadata/",
	"agent GET store/metadata/browser/github.com",
	"agent GET store/metadata/browser/nothing",
	"agent POST store/data/browser/github.com {\"data\": {}}",
	"root DELETE store/data/browser/github.com",
	"agent GET store/data/browser/github.com",
	"agent LIST store/metadata/browser/",
	"root DELETE store/data/browser/nothing",
	"stranger GET store/data/browser/github.com",
	"stranger GET auth/token/lookup-self",
	"agent POST auth/token/revoke-self",
	"agent GET auth/token/lookup-self",
}

// side is one of two servers.
type side struct {
	caller
	root, role, secret string
	agent              string // the token of the last login
}

// do makes a request and describes the answer: status, members and types.
func (s *side) do(step string) string {
	s.t.Helper()
	parts := strings.SplitN(step, " ", 4)
	body := ""
	if len(parts) == 4 {
		body = strings.NewReplacer("{role}", s.role, "{secret}", s.secret).Replace(parts[3])
	}
	var headers []string
	if token := map[string]string{"root": s.root, "agent": s.agent, "stranger": "hvs.nobody"}[parts[0]]; token != "" {
		headers = as(token)
	}
	status, answer := s.ask(parts[1], parts[2], body, headers...)
	if token, _ := at(answer, "auth", "client_token").(string); parts[0] == "nobody" && token != "" {
		s.agent = token
	}
	if status == http.StatusInternalServerError && strings.HasSuffix(parts[2], "/login") {
		status = http.StatusBadRequest // some versions' answer to a secret that is wrong; the documentation has this one
	}
	return fmt.Sprint(status, " ", shape(answer))
}

// shape lists the members of a value with their types. What differs from one
// Vault's version to the next is left out.
func shape(value any) string {
	switch value := value.(type) {
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if !slices.Contains(versioned, name) {
				all = append(all, name+shape(value[name]))
			}
		}
		return "{" + strings.Join(all, ", ") + "}"
	case []any:
		return fmt.Sprintf(": %d of them", min(len(value), 1))
	}
	return fmt.Sprintf(": %T", value)
}

// versioned are members that not all versions have, or which depend on how the
// server is set up.
var versioned = []string{
	"mount_type", "cluster_name", "cluster_id", "enterprise", "replication_primary_canary_age_ms", "clock_skew_ms", "echo_duration_ms",
	"removed_from_cluster", "ha_connection_healthy", "last_request_forwarding_heartbeat_ms", "warnings",
	"last_renewal", "last_renewal_time", "role", "type", "external_namespace_policies",
}
