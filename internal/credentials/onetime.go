package credentials

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238's default; as a keyed hash it holds
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// OneTime makes time-based one-time codes (RFC 6238).
type OneTime struct {
	key    Secret // its bytes
	hash   func() hash.Hash
	digits int
	period time.Duration
}

var hashes = map[string]func() hash.Hash{"SHA1": sha1.New, "SHA256": sha256.New, "SHA512": sha512.New}

const minSeed = 10 // bytes; the shortest that sites use. RFC 4226, 4 (R6) asks for more

// ParseOneTime reads a seed: base32, as sites show it beside the QR code (SHA-1,
// 6 digits, 30 s), or the otpauth://totp/ address in the QR code. The error does not
// contain the seed.
func ParseOneTime(seed Secret) (OneTime, error) {
	text := strings.TrimSpace(seed.Reveal())
	if !strings.HasPrefix(strings.ToLower(text), "otpauth:") {
		return oneTime(text, "", "", "")
	}
	u, err := url.Parse(text)
	if err != nil || !strings.EqualFold(u.Host, "totp") {
		return OneTime{}, errors.New("it is no otpauth://totp/ address")
	}
	q := u.Query()
	return oneTime(q.Get("secret"), q.Get("algorithm"), q.Get("digits"), q.Get("period"))
}

func oneTime(seed, algorithm, digits, period string) (OneTime, error) {
	o := OneTime{hash: sha1.New, digits: 6, period: 30 * time.Second} // RFC 6238, 5.2 and 1.2
	plain := strings.TrimRight(strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(seed)), "=")
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(plain)
	if err != nil || len(key) < minSeed {
		return OneTime{}, errors.New("its seed is not base32 of 16 characters at least")
	}
	o.key = Keep(string(key))
	if algorithm != "" {
		if o.hash = hashes[strings.ToUpper(algorithm)]; o.hash == nil {
			return OneTime{}, errors.New("its algorithm is none of SHA1, SHA256, SHA512")
		}
	}
	if digits != "" {
		if o.digits, err = strconv.Atoi(digits); err != nil || o.digits < 6 || o.digits > 8 {
			return OneTime{}, errors.New("its digits are not 6, 7 or 8")
		}
	}
	if period != "" {
		seconds, err := strconv.Atoi(period)
		if err != nil || seconds < 5 || seconds > 300 {
			return OneTime{}, errors.New("its period is not 5 to 300 seconds")
		}
		o.period = time.Duration(seconds) * time.Second
	}
	return o, nil
}

// Code returns the code for a time, and when the code ends.
func (o OneTime) Code(at time.Time) (code Secret, ends time.Time) {
	period := int64(o.period / time.Second)
	step := at.Unix() / period
	mac := hmac.New(o.hash, []byte(o.key.Reveal()))
	_ = binary.Write(mac, binary.BigEndian, step) // writing to a hash does not fail
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:]) & 0x7fffffff // dynamic truncation: RFC 4226, 5.3
	modulus := uint32(1)
	for range o.digits {
		modulus *= 10
	}
	return Keep(fmt.Sprintf("%0*d", o.digits, number%modulus)), time.Unix((step+1)*period, 0)
}
