package policy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lookalikes are Latin letters, each followed by letters that look like it: Cyrillic, Greek,
// Armenian, Cherokee, Coptic, Lisu and phonetic ones (Unicode Technical Standard 39,
// confusables, without those that compatibility normalization replaces).
var lookalikes = []string{
	"aаɑαᴀꓮΑАⲀꭺ", "bЬВΒᏏᏴʙɓꓐⲂƅЪьꮟᖯ", "cсϲᴄⲥСϹᏟꓚⲤꮯ", "dԁᏧᑯɗᴅᎠꓓꭰ",
	"eеҽєεᴇЕΕᎬꓰⲈꬲɛ", "fғϝƒꞙꓝϜꜰẝ", "gɡցԍɢᏀᏳꓖԌᶃ", "hһհᏂʜНΗᎻꓧⲎꮋ",
	"iіıɩɪӏΙІӀᎥꙇꭵɨ", "jјϳյᴊЈᎫꓙʝ", "kкκᴋКΚᏦꓗⲔĸқ", "lʟᏞꓡⳐℓɭƚ",
	"mмᴍМΜᎷꓟⲘɱϺ", "nոռпɴΝꓠⲚη", "oоοօᴏОΟՕꓳⲞσөɵ", "pрρᴘРΡᏢꓑⲢϸƿ",
	"qԛգզԚϙ", "rгᴦⲅʀᎡᏒꓣɼɽꭇ", "sѕꜱЅՏᏚꓢʂꮪ", "tтτᴛТΤᎢꓔⲦƭŧ",
	"uսυᴜʋՍꓴꭎ", "vѵνᴠѴᏙꓦᏤ", "wԝѡաᴡԜᎳꓪɯшꮃ", "xхχХΧꓫⲬҳ",
	"yуүγʏУΥҮᎩꓬⲨỿ", "zᴢΖᏃꓜⲌʐꮓ",
}

// signs are Latin letters, each followed by signs that look like it and by the letter turned around.
var signs = []string{
	"aɐɒΛΔ∆", "dð∂Ðᗡ", "e℮ǝΞΣ∑∃Ǝ", "fɟ", "hɥ", "iᴉ", "jɾ", "kʞ", "rɹ", "t†ʇ", "vʌ", "wʍ", "yʎ", "c¢©ɔ",
}

// toLatin maps a letter to the Latin letter that it looks like.
var toLatin = func() map[rune]rune {
	m := map[rune]rune{}
	for _, list := range slices.Concat(lookalikes, signs) {
		for _, r := range list[1:] {
			if m[r] == 0 {
				m[r] = rune(list[0])
			}
		}
	}
	for _, first := range []rune{'🅐', '🅰', '🇦'} { // letters in circles and boxes that Unicode does not decompose
		for i := range rune(26) {
			m[first+i] = 'a' + i
		}
	}
	return m
}()

// latin replaces the letters of a text that look like Latin ones.
func latin(text string) string {
	return strings.Map(func(r rune) rune {
		if letter, alike := toLatin[r]; alike {
			return letter
		}
		return r
	}, withoutInvisible(text))
}

// toCyrillic replaces Latin letters by the Cyrillic ones that look like them.
var toCyrillic = strings.NewReplacer("a", "а", "b", "в", "c", "с", "e", "е", "h", "н", "k", "к", "m", "м", "o", "о", "p", "р", "t", "т", "x", "х", "y", "у", "3", "з", "0", "о", "6", "б")

// reading is one way to read a text.
type reading struct {
	words    []string
	whole    string // the words without separators
	skeleton bool   // its words are skeletons
}

// readings are the ways to read a text that may be written to deceive: as it is (always the
// first), with look-alike letters as Latin ones, with Latin letters as Cyrillic ones where the
// text has Cyrillic letters, each also with separate letters joined to words, with digits and
// signs as the letters that they look like, and from its end.
func readings(text string) []reading {
	folded := fold(text)
	all := addReadings(make([]reading, 0, 4), folded)
	lower := folded
	if !isASCII(text) {
		lower = fold(latin(text))
		if lower != folded {
			all = addReadings(all, lower)
		}
		if strings.ContainsFunc(folded, isCyrillic) {
			if c := toCyrillic.Replace(folded); c != folded {
				all = addReadings(all, c)
			}
		}
	}
	if s := skeletonOf(lower); s != folded {
		all = append(all, reading{words: wordsOf(s), skeleton: true})
	}
	if r := reversed(all[0].words); r != nil {
		all = append(all, reading{words: r})
	}
	if lower != folded {
		if r := reversed(wordsOf(lower)); r != nil {
			all = append(all, reading{words: r})
		}
	}
	all = addJoined(all, folded)
	if lower != folded {
		all = addJoined(all, lower)
	}
	return all
}

// looksLike maps digits, signs and letters to the letters that they look like between
// letters.
var looksLike = map[rune]rune{'0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't', '!': 'l', '|': 'l', '@': 'a', '$': 's', '€': 'e', '£': 'l', '¡': 'l', 'i': 'l'}

// skeleton is a folded text in which characters that look alike are the same: D€Iete and de1ete
// are delete. It is only compared with other skeletons.
func skeleton(text string) string {
	if isASCII(text) {
		return skeletonOf(strings.ToLower(text))
	}
	return skeletonOf(fold(latin(text)))
}

func skeletonOf(text string) string {
	if !strings.ContainsAny(text, "01345i7!|@$€£¡") && !strings.Contains(text, "rn") {
		return text
	}
	all := []rune(text)
	for i, r := range all {
		letter, alike := looksLike[r]
		if alike && (r == 'i' || i > 0 && isLatin(all[i-1]) || i+1 < len(all) && isLatin(all[i+1])) {
			all[i] = letter
		}
	}
	return strings.ReplaceAll(string(all), "rn", "m")
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r == '€' || r == '$' || r == '@' }

// minReversed is the length of a word that is also read from its end: a shorter one is too
// often another word.
const minReversed = 5

// reversed are the words of a text from its end, each reversed; nil where no word is long
// enough.
func reversed(all []string) []string {
	var out []string
	for _, w := range slices.Backward(all) {
		if len(w) >= minReversed && isASCII(w) {
			letters := []byte(w)
			slices.Reverse(letters)
			out = append(out, string(letters))
		}
	}
	return out
}

func isCyrillic(r rune) bool { return r >= 0x400 && r <= 0x4ff }

// addReadings adds the readings of a folded text.
func addReadings(all []reading, folded string) []reading {
	words := wordsOf(folded)
	whole := "" // only for texts that may be in a script without spaces
	if !isASCII(folded) {
		whole = strings.Join(words, "")
	}
	all = append(all, reading{words: words, whole: whole})
	for i := 1; i < len(words); i++ {
		if isLetter(words[i-1]) && isLetter(words[i]) {
			return append(all, reading{words: joinLetters(words)})
		}
	}
	return all
}

// Words may be written in fragments: "De-lete", and "De lete", where a line break or the edge of a box is
// the space. Fragments that a space separates are joined if the result is a long word of a harmful phrase,
// of at most maxJoined letters.
const (
	minJoined = 5
	maxJoined = 20
)

// fragmentPairs are two words that are not fragments, although together they are another word.
var fragmentPairs = map[string]bool{"in via": true, "for ward": true, "a pagar": true}

// addJoined adds the readings of a folded text in which fragments of words are joined.
func addJoined(all []reading, folded string) []reading {
	if joined := withoutHyphens(folded); joined != folded {
		all = addReadings(all, joined)
		all = append(all, reading{words: wordsOf(skeletonOf(joined)), skeleton: true})
		folded = joined
	}
	if joined := joinFragments(wordsOf(folded)); joined != nil {
		all = append(all, reading{words: joined})
	}
	return all
}

// withoutHyphens removes hyphens, dots and the like between letters.
func withoutHyphens(text string) string {
	if !strings.ContainsFunc(text, isHyphen) {
		return text
	}
	var b strings.Builder
	runes := []rune(text)
	for at := 0; at < len(runes); at++ {
		end := at
		for at > 0 && end < len(runes) && isHyphen(runes[end]) {
			end++
		}
		if end > at && end < len(runes) && unicode.IsLetter(runes[at-1]) && unicode.IsLetter(runes[end]) {
			at = end
		}
		b.WriteRune(runes[at])
	}
	return b.String()
}

// isHyphen reports whether r is a hyphen, a dot or the like, which may be between letters of a word.
func isHyphen(r rune) bool {
	return strings.ContainsRune("-._/\\~'*|+·•’", r) || r >= 0x80 && unicode.Is(unicode.Pd, r) || r == 0x2212 || r == 0x2022
}

// joinFragments joins words that are fragments of a harmful word; nil if there are none.
func joinFragments(all []string) (joined []string) {
	found := false
	for at := 0; at < len(all); at++ {
		whole, end := all[at], 0
		for next := at + 1; next < len(all) && len(whole)+len(all[next]) <= maxJoined*utf8.UTFMax; next++ {
			if whole += all[next]; words().harmful.long[whole] && !fragmentPairs[all[at]+" "+all[next]] {
				end = next
			}
		}
		if end == 0 {
			joined = append(joined, all[at])
			continue
		}
		joined = append(joined, strings.Join(all[at:end+1], ""))
		at, found = end, true
	}
	if !found {
		return nil
	}
	return joined
}

func isLetter(word string) bool { return utf8.RuneCountInString(word) == 1 }

// joinLetters joins separate letters to words: d e l e t e.
func joinLetters(words []string) []string {
	var out []string
	run := 0 // separate letters at the end of out
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
