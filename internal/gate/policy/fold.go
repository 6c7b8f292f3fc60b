package policy

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// letters that no decomposition turns into plain ones.
var plain = strings.NewReplacer("đ", "d", "ł", "l", "ø", "o", "æ", "ae", "œ", "oe", "ı", "i", "ё", "е")

// fold makes texts comparable: compatibility forms, case, diacritics and
// invisible characters are gone.
func fold(text string) string {
	text = cases.Fold().String(norm.NFKC.String(text)) // not kept: a caser holds state
	text = strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f || unicode.Is(unicode.Cf, r) {
			return -1 // combining marks of alphabets (not of kana), format characters
		}
		return r
	}, norm.NFD.String(text))
	return plain.Replace(norm.NFC.String(text))
}

// tokens are the words of a text, folded. What is neither letter nor digit
// parts them, so icons and punctuation are no words.
func tokens(text string) []string {
	return strings.FieldsFunc(fold(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || isPrivate(r)
	})
}

// isPrivate reports whether r belongs to an icon font.
func isPrivate(r rune) bool { return unicode.Is(unicode.Co, r) }

// split parts the words of an identifier: newPassword, card_number.
func split(identifier string) string {
	var b strings.Builder
	var before rune
	for _, r := range identifier {
		if unicode.IsUpper(r) && unicode.IsLower(before) || r == '_' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// hasWords reports whether a text names something: it holds a letter.
func hasWords(text string) bool {
	for _, t := range tokens(text) {
		if strings.ContainsFunc(t, unicode.IsLetter) {
			return true
		}
	}
	return false
}
