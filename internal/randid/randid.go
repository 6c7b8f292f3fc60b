// Package randid makes the random ids, names and secrets that the gateway gives
// out. Nothing else in the gateway makes one.
package randid

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// New returns prefix and size random bytes in lower-case hexadecimal digits.
func New(prefix string, size int) string {
	random := make([]byte, size)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return prefix + hex.EncodeToString(random)
}

// secretBytes is 32, so that a secret has 256 bits and cannot be guessed.
const secretBytes = 32

// Secret returns prefix and 256 random bits, as 52 characters of lower-case
// base32.
func Secret(prefix string) string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand)
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random[:]))
}

// Word returns at least 128 random bits, as 26 characters of lower-case base32.
// It is used in addresses and names.
func Word() string { return strings.ToLower(rand.Text()) }

// Digits returns n random decimal digits.
func Digits(n int) string {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	random, _ := rand.Int(rand.Reader, limit) // never fails (crypto/rand)
	return fmt.Sprintf("%0*d", n, random)
}
