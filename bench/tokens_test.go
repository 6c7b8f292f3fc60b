package bench

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec is o200k_base, of OpenAI's models since GPT-4o; other models' counts
// differ by some tenths, in the same direction for every text.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// tokens is how many tokens a text is.
func tokens(text string) int {
	c, err := codec()
	if err != nil {
		panic(err)
	}
	n, err := c.Count(text)
	if err != nil {
		panic(err)
	}
	return n
}
