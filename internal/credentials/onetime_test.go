package credentials_test

import (
	"encoding/base32"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// The vectors of RFC 6238, appendix B; its seeds are as long as the hash.
func TestCodesAreThoseOfRFC6238(t *testing.T) {
	const digits = "1234567890"
	seeds := map[string]string{
		"SHA1": strings.Repeat(digits, 2), "SHA256": strings.Repeat(digits, 4)[:32], "SHA512": strings.Repeat(digits, 7)[:64],
	}
	for _, c := range []struct {
		at                   int64 // seconds since 1970
		sha1, sha256, sha512 string
	}{
		{59, "94287082", "46119246", "90693936"},
		{1111111109, "07081804", "68084774", "25091201"},
		{1111111111, "14050471", "67062674", "99943326"},
		{1234567890, "89005924", "91819424", "93441116"},
		{2000000000, "69279037", "90698825", "38618901"},
		{20000000000, "65353130", "77737706", "47863826"},
	} {
		for algorithm, want := range map[string]string{"SHA1": c.sha1, "SHA256": c.sha256, "SHA512": c.sha512} {
			seed := base32.StdEncoding.EncodeToString([]byte(seeds[algorithm]))
			o, err := credentials.ParseOneTime(credentials.Keep("otpauth://totp/a?digits=8&algorithm=" + algorithm + "&secret=" + seed))
			if err != nil {
				t.Fatal(err)
			}
			code, ends := o.Code(time.Unix(c.at, 0))
			if code.Reveal() != want {
				t.Errorf("%s at %d: %s, want %s", algorithm, c.at, code.Reveal(), want)
			}
			if left := ends.Unix() - c.at; left <= 0 || left > 30 || ends.Unix()%30 != 0 {
				t.Errorf("at %d the period ends at %d", c.at, ends.Unix())
			}
		}
	}
}

func TestASeedIsReadAsSitesShowIt(t *testing.T) {
	at := time.Unix(59, 0)
	for _, seed := range []string{
		"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "gezd gnbv gy3t qojq gezd gnbv gy3t qojq", "GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ",
		" otpauth://totp/Example:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example ",
		"OTPAUTH://TOTP/ada?secret=gezdgnbvgy3tqojqgezdgnbvgy3tqojq&period=30&digits=6&algorithm=sha1",
	} {
		o, err := credentials.ParseOneTime(credentials.Keep(seed))
		if err != nil {
			t.Fatal(err)
		}
		if code, _ := o.Code(at); code.Reveal() != "287082" {
			t.Errorf("the code is %s", code.Reveal())
		}
		if text := fmt.Sprintf("%v %+v %#v", o, o, o); strings.Contains(text, "1234567890") || strings.Contains(text, "GEZD") {
			t.Errorf("it prints its seed: %s", text)
		}
	}
}

func TestAnInvalidSeedIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, seed := range []string{
		"", "1089", "GEZDGNBV", "canary!", "otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQ&counter=1", "otpauth://totp/a", "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&digits=5",
		"otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&digits=9", "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&period=0", "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&algorithm=MD5",
		"otpauth://totp/canary?secret=%zz", "otpauth:totp/%",
	} {
		_, err := credentials.ParseOneTime(credentials.Keep(seed))
		if err == nil {
			t.Errorf("%q is taken", seed)
		} else if strings.Contains(err.Error(), "GEZDGNBV") || strings.Contains(err.Error(), "canary") {
			t.Errorf("it repeats the seed: %v", err)
		}
	}
}
