package source_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
)

func TestASeedIsAcceptedAsSitesShowIt(t *testing.T) {
	for _, given := range []string{"gezd gnbv gy3t qojq", "GEZDGNBVGY3TQOJQ", "otpauth://totp/Example:ada?secret=GEZDGNBVGY3TQOJQ&digits=8"} {
		set, err := source.Parse("a.example", []byte(`{"domain":"a.example","login":{"totp":"`+given+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := credentials.ParseOneTime(set.Login["totp"]); err != nil {
			t.Errorf("a seed that was kept makes no codes: %v", err)
		}
	}
	for _, given := range []string{"GEZDGNBV", "canary-0189-canary", "otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQ", "otpauth://totp/canary"} {
		_, err := source.Parse("a.example", []byte(`{"domain":"a.example","login":{"totp":"`+given+`"}}`))
		if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "totp") {
			t.Errorf("%v", err)
		}
	}
}
