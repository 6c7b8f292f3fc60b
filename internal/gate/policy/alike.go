package policy

import (
	"strings"
)

// lookalikes are letters that are drawn like a Latin one, after that letter:
// Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu and phonetic ones (after
// Unicode Technical Standard 39, confusables; what compatibility forms undo is
// left out).
var lookalikes = []string{
	"aаɑαᴀꓮΑАⲀꭺ", "bЬВΒᏏᏴʙɓꓐⲂƅЪьꮟᖯ", "cсϲᴄⲥСϹᏟꓚⲤꮯ", "dԁᏧᑯɗᴅᎠꓓꭰ",
	"eеҽєεᴇЕΕᎬꓰⲈꬲɛ", "fғϝƒꞙꓝϜꜰẝ", "gɡցԍɢᏀᏳꓖԌᶃ", "hһհᏂʜНΗᎻꓧⲎꮋ",
	"iіıɩɪӏΙІӀᎥꙇꭵɨ", "jјϳյᴊЈᎫꓙʝ", "kкκᴋКΚᏦꓗⲔĸқ", "lʟᏞꓡⳐℓɭƚ",
	"mмᴍМΜᎷꓟⲘɱϺ", "nոռпɴΝꓠⲚη", "oоοօᴏОΟՕꓳⲞσөɵ", "pрρᴘРΡᏢꓑⲢϸƿ",
	"qԛգզԚϙ", "rгᴦⲅʀᎡᏒꓣɼɽꭇ", "sѕꜱЅՏᏚꓢʂꮪ", "tтτᴛТΤᎢꓔⲦƭŧ",
	"uսυᴜʋՍꓴꭎ", "vѵνᴠѴᏙꓦᏤ", "wԝѡաᴡԜᎳꓪɯшꮃ", "xхχХΧꓫⲬҳ",
	"yуүγʏУΥҮᎩꓬⲨỿ", "zᴢΖᏃꓜⲌʐꮓ",
}

// toLatin is the Latin letter that another is drawn like.
var toLatin = func() map[rune]rune {
	m := map[rune]rune{}
	for _, list := range lookalikes {
		for _, r := range list[1:] {
			m[r] = rune(list[0])
		}
	}
	return m
}()

// latin is a text in which letters that look like Latin ones are those.
func latin(text string) string {
	return strings.Map(func(r rune) rune {
		if letter, alike := toLatin[r]; alike {
			return letter
		}
		return r
	}, visible(text))
}

// toCyrillic are the Cyrillic letters that Latin ones are drawn like.
var toCyrillic = strings.NewReplacer("a", "а", "b", "в", "c", "с", "e", "е", "h", "н", "k", "к", "m", "м", "o", "о", "p", "р", "t", "т", "x", "х", "y", "у", "3", "з", "0", "о", "6", "б")

// reading is one way to read a text.
type reading struct {
	words []string
	whole string // without what parts them
}

// readings are the ways to read a text that may be written to be misread:
// itself, with look-alike letters as Latin, with Latin ones as Cyrillic where
// there are any of these, and each with letters that stand apart as one word.
// The first is the text as it is.
func readings(text string) []reading {
	folded := fold(text)
	all := spaced(nil, folded)
	if isASCII(text) {
		return all
	}
	if l := fold(latin(text)); l != folded {
		all = spaced(all, l)
	}
	if strings.ContainsFunc(folded, isCyrillic) {
		if c := toCyrillic.Replace(folded); c != folded {
			all = spaced(all, c)
		}
	}
	return all
}

func isCyrillic(r rune) bool { return r >= 0x400 && r <= 0x4ff }

// spaced adds the readings of a folded text.
func spaced(all []reading, folded string) []reading {
	words := wordsOf(folded)
	all = append(all, reading{words, strings.Join(words, "")})
	if close := closed(words); len(close) < len(words) {
		all = append(all, reading{words: close})
	}
	return all
}

// closed joins letters that stand apart: d e l e t e.
func closed(words []string) []string {
	var out []string
	run := 0 // letters at the end of out that stood apart
	for _, w := range words {
		single := len([]rune(w)) == 1
		switch {
		case single && run > 0:
			out[len(out)-1] += w
			run++
			continue
		case single:
			run = 1
		default:
			run = 0
		}
		out = append(out, w)
	}
	return out
}
