package xdisplay_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// BenchmarkInputToPage measures the time from the call of Input to the event in the
// page, by the clock that both read.
func BenchmarkInputToPage(b *testing.B) {
	for name, events := range map[string][]action.PersonInput{
		"key":                        {down('a'), up('a')},
		"key of another layout":      {down(0xf6), up(0xf6)}, // its key is bound once
		"move and press of a button": click(300, 300),
	} {
		b.Run(name, func(b *testing.B) {
			d, c := startEditor(b)
			c.eval(`times = [];
				for (const kind of ['keydown', 'mousedown'])
					addEventListener(kind, () => times.push(performance.timeOrigin + performance.now()));
				null`)
			input(b, d, events...)
			c.until("times.length === 1")
			var sent []float64
			for b.Loop() {
				sent = append(sent, float64(time.Now().UnixMicro())/1000)
				input(b, d, events...)
				c.until(fmt.Sprintf("times.length > %d", len(sent)))
			}
			delays := value[[]float64](c, "times.slice(1)")
			for i := range delays {
				delays[i] -= sent[i]
			}
			slices.Sort(delays)
			b.ReportMetric(delays[len(delays)/2], "ms-median")
			b.ReportMetric(delays[len(delays)*95/100], "ms-95%")
			b.ReportMetric(0, "ns/op") // the page's answer is in it
		})
	}
}

// BenchmarkText measures typing a text until the page has it.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"Latin":   "The quick brown fox jumps over the lazy dog. 0123456789 (really)",
		"German":  "Zwölf große Boxkämpfer jagen Viktor quer über den Sylter Deich.",
		"Chinese": "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏閏餘成歲律呂調陽雲騰致雨露結為霜金生麗水玉出崑岡劍號巨闕珠稱夜光果珍李柰",
	} {
		b.Run(name, func(b *testing.B) {
			d, c := startEditor(b)
			count := len([]rune(text))
			for b.Loop() {
				c.eval("field.value = ''")
				input(b, d, action.PersonInput{Kind: action.InputText, Text: text})
				c.until(fmt.Sprintf("field.value.length === %d", count))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N*count), "ms/character")
		})
	}
}
