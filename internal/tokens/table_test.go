package tokens_test

import (
	"math"
	"os"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

const kinds = 97

func kindOf(b byte) int {
	switch {
	case b == '\n':
		return 0
	case b >= ' ' && b <= '~':
		return int(b-' ') + 1
	}
	return kinds - 1
}

// prior is added to both counts of each pair, so that a pair that was hardly ever
// seen counts as the start of a token.
const prior = 4

type tally struct{ met, started [kinds * kinds]float64 }

func (y *tally) text(t *testing.T, codec tokenizer.Codec, text string) {
	t.Helper()
	_, tokens, err := codec.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, token := range tokens {
		for i := range len(token) {
			if at+i == 0 {
				continue
			}
			pair := kindOf(text[at+i-1])*kinds + kindOf(text[at+i])
			if y.met[pair]++; i == 0 {
				y.started[pair]++
			}
		}
		at += len(token)
	}
}

func (y *tally) table() []byte {
	out := make([]byte, kinds*kinds)
	for i := range out {
		out[i] = byte(math.Ceil(255 * (y.started[i] + prior) / (y.met[i] + prior)))
	}
	return out
}

// TestWriteTables writes the tables again: `go test ./internal/tokens -run TestWriteTables
// -update`.
func TestWriteTables(t *testing.T) {
	if !*update {
		t.Skip("the tables are counted with -update")
	}
	codec, y := vocabulary(t), &tally{}
	for i, page := range pages(t) {
		if i%2 == 0 {
			y.text(t, codec, lines(page.HTML))
		}
	}
	for _, text := range code(t, "net") {
		y.text(t, codec, text)
	}
	write(t, "starts.bin", y.table())
	write(t, "runes.bin", alone(t, codec))
}

// alone counts how many tokens each rune is by itself, minus one, in two bits.
func alone(t *testing.T, codec tokenizer.Codec) []byte {
	t.Helper()
	out := make([]byte, 1<<14)
	for r := range rune(1 << 16) {
		n := 1
		if r < 0xd800 || r > 0xdfff {
			n = count(t, codec, string(r))
		}
		out[r/4] |= byte(n-1) << (r % 4 * 2)
	}
	return out
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
