package scan

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The test scans thousands of ids of each kind, without a word for secrets beside them.
func TestRandomIdsPass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bytes := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
		return b
	}
	of := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	const nano = "useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict"
	for name, make := range map[string]func() string{
		"UUID": func() string {
			b := bytes(16)
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		},
		"commit":       func() string { return hex.EncodeToString(bytes(20)) },
		"short":        func() string { return hex.EncodeToString(bytes(4)) },
		"SHA-256":      func() string { return hex.EncodeToString(bytes(32)) },
		"object id":    func() string { return hex.EncodeToString(bytes(12)) },
		"ULID":         func() string { return "01" + of(crockford, 24) },
		"nano id":      func() string { return of(nano, 21) },
		"video":        func() string { return base64.RawURLEncoding.EncodeToString(bytes(8)) },
		"document":     func() string { return base64.RawURLEncoding.EncodeToString(bytes(33)) },
		"base64":       func() string { return base64.StdEncoding.EncodeToString(bytes(48)) },
		"order":        func() string { return of("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 8) },
		"parcel":       func() string { return "1Z" + of("0123456789ABCDEF", 16) },
		"milliseconds": func() string { return fmt.Sprint(1_700_000_000_000 + r.Int64N(200_000_000_000)) },
		"snowflake":    func() string { return fmt.Sprint(1_000_000_000_000_000_000 + r.Int64N(900_000_000_000_000_000)) },
		"phone":        func() string { return "+" + fmt.Sprint(10_000_000_000+r.Int64N(900_000_000_000)) },
		"click id": func() string {
			return "https://shop.example.com/p/1?gclid=" + base64.RawURLEncoding.EncodeToString(bytes(60)) + "&x=1"
		},
		"cache buster": func() string {
			return "https://cdn.example.com/app." + hex.EncodeToString(bytes(10)) + ".js?v=" + hex.EncodeToString(bytes(4))
		},
	} {
		found := map[string]int{}
		for range 3000 {
			for _, kind := range kindsIn(Text{Field: "text", Label: "Reference", Value: make()}) {
				found[kind]++
			}
		}
		if len(found) > 0 {
			t.Errorf("of 3000 of %s: %v", name, found)
		}
	}
}
