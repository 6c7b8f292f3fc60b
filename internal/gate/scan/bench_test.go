package scan

import (
	"strings"
	"testing"
)

// prose is ordinary text, with words in it that rules begin at.
const prose = "Dear Ms Lovelace, thank you for the therapy of our apiary's key accounts: they ask for access to the author's monkey " +
	"tokens before Friday, 11:30. The risk is low, said the secretary; the task (see https://example.com/tickets?id=4711&view=full#key) " +
	"is to keep the tracking number 1Z999AA10123456784 with order 2026-11-21-000457. Please reply to ada@example.com. "

func BenchmarkKilobyte(b *testing.B) { benchmark(b, strings.Repeat(prose, 3)[:1000]) }

func BenchmarkMebibyte(b *testing.B) { benchmark(b, strings.Repeat(prose, 1<<20/len(prose)+1)[:1<<20]) }

// BenchmarkWorst is full of what rules begin at.
func BenchmarkWorst(b *testing.B) {
	piece := "token: key=secret api_key: password = sk- eyJ aws auth https://a.b/c?d=" + strings.Repeat("0a9f3b", 10) + "\n"
	benchmark(b, strings.Repeat(piece, 1<<20/len(piece)+1)[:1<<20])
}

func BenchmarkShort(b *testing.B) { benchmark(b, "Ada Lovelace") }

func benchmark(b *testing.B, text string) {
	s := new(Scanner)
	if found := s.Find(Text{Value: text}); len(found) > 0 {
		b.Logf("finds %v", found)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Find(Text{Value: text})
	}
}
