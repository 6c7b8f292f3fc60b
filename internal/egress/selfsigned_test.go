package egress_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/egress"
)

func TestSelfSignedHostsAreParsed(t *testing.T) {
	got, wrong := egress.SelfSigned([]string{"NAS.lan", "bücher.example", "box.lan:8443", "10.0.0.5", "[fd00::1]:8443", "fd00::1"})
	want := []string{"nas.lan", "xn--bcher-kva.example", "box.lan:8443", "10.0.0.5", "[fd00::1]:8443", "fd00::1"}
	if !slices.Equal(got, want) || len(wrong) > 0 {
		t.Errorf("read %q, wrong %v", got, wrong)
	}
}

func TestSelfSignedEntriesMustNameASingleHost(t *testing.T) {
	for _, entry := range []string{"*", "*.lan", "https://nas.lan", "nas.lan/", "nas.lan:*", "nas.lan:0", "nas.lan:99999", "", "a b", "user@nas.lan", "0x7f.1"} {
		got, wrong := egress.SelfSigned([]string{"fine.lan", entry})
		if len(got) != 1 || len(wrong) != 1 || wrong[0].Path != "allow_self_signed[1]" || !strings.Contains(wrong[0].Message, "one host") {
			t.Errorf("%q: %q, %v", entry, got, wrong)
		}
	}
}
