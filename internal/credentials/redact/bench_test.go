package redact_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

const mebibyte = 1 << 20

// Fifty secrets over 1 MiB of the repository's own pages. The floor is a plain search
// for each of the fifty, which finds no other form.
func BenchmarkRedact(b *testing.B) {
	secrets, plain := fifty()
	m := redact.New(secrets...)
	for name, text := range map[string][]byte{"html": filled("*.html"), "docs": filled("*.md"), "prose": prose()} {
		b.Run("text="+name, func(b *testing.B) {
			b.SetBytes(mebibyte)
			defer busy(b)()
			for b.Loop() {
				if m.Has(text) {
					b.Fatal("an ordinary text has a secret")
				}
			}
		})
		b.Run("floor="+name, func(b *testing.B) {
			b.SetBytes(mebibyte)
			defer busy(b)()
			for b.Loop() {
				for _, p := range plain {
					if bytes.Contains(text, p) {
						b.Fatal("an ordinary text has a secret")
					}
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	secrets, _ := fifty()
	defer busy(b)()
	for b.Loop() {
		redact.New(secrets...)
	}
}

// busy reports the time that a benchmark's thread ran, which other programs of
// the machine do not add to.
func busy(b *testing.B) (done func()) {
	runtime.LockOSThread()
	ran := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(1, &u) // RUSAGE_THREAD
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := ran()
	return func() {
		b.ReportMetric(float64((ran()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		runtime.UnlockOSThread()
	}
}

// fifty are secrets as sites make them: 20 to 64 letters and digits.
func fifty() (secrets []credentials.Secret, plain [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 50 {
		text := random(r, 20+i*44/49)
		secrets, plain = append(secrets, credentials.Keep(text)), append(plain, []byte(text))
	}
	return secrets, plain
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func random(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// filled is 1 MiB of the repository's files of a kind, one after the other.
func filled(pattern string) []byte {
	var text []byte
	for _, p := range ordinary(pattern) {
		text = append(text, p...)
	}
	return bytes.Repeat(text, mebibyte/len(text)+1)[:mebibyte]
}

// ordinary are the repository's files of a kind.
func ordinary(pattern string) (texts [][]byte) {
	_ = filepath.WalkDir("../../..", func(path string, e os.DirEntry, err error) error {
		if fits, _ := filepath.Match(pattern, filepath.Base(path)); err == nil && !e.IsDir() && fits {
			text, err := os.ReadFile(path)
			if err == nil {
				texts = append(texts, text)
			}
		}
		return nil
	})
	return texts
}

func prose() []byte {
	line := "The quick brown fox, who was 42, jumped over the lazy dog: \"again\", it said.\n"
	return bytes.Repeat([]byte(line), mebibyte/len(line)+1)[:mebibyte]
}

func ExampleMatcher_Text() {
	m := redact.New(credentials.Keep("hunter2-and-more"))
	fmt.Println(m.Text("it is hunter2-and-more, or aHVudGVyMi1hbmQtbW9yZQ=="))
	// Output: it is [redacted], or [redacted]==
}
