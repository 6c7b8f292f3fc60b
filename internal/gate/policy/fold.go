package policy

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// plainLetters replaces letters that Unicode decomposition does not.
var plainLetters = strings.NewReplacer("đ", "d", "ł", "l", "ø", "o", "æ", "ae", "œ", "oe", "ı", "i", "ё", "е")

// fold makes texts comparable: it removes case, diacritics, compatibility forms and invisible
// characters.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	text = cases.Fold().String(withoutInvisible(text)) // a new one each time: a caser has state
	text = strings.Map(func(r rune) rune {
		if isMark(r) || isIgnorable(r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return plainLetters.Replace(norm.NFC.String(text))
}

// withoutInvisible is a text in compatibility form, without invisible characters.
func withoutInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

// isMark reports whether r is a combining mark of an alphabet. Marks of kana, and of scripts whose
// vowels are marks, make another letter and do not count.
func isMark(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x483 && r <= 0x489 || r >= 0x1ab0 && r <= 0x1aff ||
		r >= 0x1dc0 && r <= 0x1dff || r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f
}

// isIgnorable reports whether r is invisible (Unicode Default_Ignorable_Code_Point).
func isIgnorable(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// tokens are the words of a text, folded. They have letters and digits only: icons and punctuation
// separate them.
func tokens(text string) []string { return wordsOf(fold(text)) }

func wordsOf(folded string) []string {
	if isASCII(folded) {
		return strings.FieldsFunc(folded, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z') })
	}
	return strings.FieldsFunc(folded, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || isPrivate(r)
	})
}

// isPrivate reports whether r belongs to an icon font.
func isPrivate(r rune) bool { return unicode.Is(unicode.Co, r) }

// split separates the words of an identifier: newPassword, card_number.
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

// hasWords reports whether a text has a letter.
func hasWords(text string) bool {
	for _, t := range tokens(text) {
		if strings.ContainsFunc(t, unicode.IsLetter) {
			return true
		}
	}
	return false
}
