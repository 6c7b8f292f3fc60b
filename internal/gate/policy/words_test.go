package policy

import (
	"path"
	"strings"
	"testing"
)

var languages = []string{"en", "de", "fr", "es", "pt", "it", "nl", "vi", "zh", "ja", "ko", "ru"}

func TestEveryLanguageHasEveryList(t *testing.T) {
	known := words().sections()
	for _, language := range languages {
		lists := map[string][]string{}
		for section, list := range sectionsOf(path.Join("words", language+".txt")) {
			meaning, kind := splitSection(section)
			if (meaning == "critical" || meaning == "high") != (kindNames[kind] != 0) {
				t.Errorf("%s: [%s] names no kind of harm, or one too many", language, section)
			}
			lists[meaning] = append(lists[meaning], list...)
		}
		for section := range known {
			if len(lists[section]) == 0 {
				t.Errorf("%s has no [%s]", language, section)
			}
		}
		for section, list := range lists {
			if known[section] == nil {
				t.Errorf("%s has an unknown section [%s]", language, section)
			}
			for _, phrase := range list {
				if !known[section].in(phrase) {
					t.Errorf("%s: %q does not match itself", language, phrase)
				}
				if len([]rune(strings.Join(tokens(phrase), ""))) == 1 && section != "free" && !strings.ContainsFunc(phrase, isUnspaced) {
					t.Errorf("%s: %q in [%s] is too short", language, phrase, section)
				}
			}
		}
	}
}

func TestNoPhraseIsBothHarmlessAndHarmful(t *testing.T) {
	for _, language := range languages {
		lists := sectionsOf(path.Join("words", language+".txt"))
		for _, section := range []string{"low", "dismiss", "affirm"} {
			for _, phrase := range lists[section] {
				whole := strings.Join(tokens(phrase), " ")
				if words().high.exact[whole] || words().critical.exact[whole] {
					t.Errorf("%s: %q is in [%s], and harms in some language", language, phrase, section)
				}
			}
		}
	}
}

func TestHostsAreRead(t *testing.T) {
	lists := sectionsOf("words/hosts.txt")
	for _, section := range []string{"payment", "sensitive"} {
		if p, err := parsePatterns(lists[section]); err != nil || len(p.exact) < 10 || len(p.suffixes) < 10 {
			t.Errorf("[%s]: %v", section, err)
		}
	}
	for _, list := range []map[string]bool{hosts().paymentLabels, hosts().sensitiveLabels} {
		for label := range list {
			if len(labelsOf(label)) != 1 || strings.ToLower(label) != label {
				t.Errorf("label %q never matches", label)
			}
		}
	}
}

func TestFoldingIgnoresSpelling(t *testing.T) {
	for a, b := range map[string]string{
		"LÖSCHEN": "löschen", "lo\u0308schen": "löschen", "Ｄｅｌｅｔｅ": "delete", "del\u200bete": "delete", "dele\u00adte": "delete",
		"Straße": "STRASSE", "Xóa": "XOÁ", "đăng": "DANG", "Удалить": "УДАЛИТЬ", "ﾊﾟｽﾜｰﾄﾞ": "パスワード", "İptal": "iptal",
	} {
		if fold(a) != fold(b) {
			t.Errorf("%q folds to %q, %q to %q", a, fold(a), b, fold(b))
		}
	}
	if fold("삭제") != "삭제" {
		t.Error("Hangul is taken apart")
	}
}

func TestWordsMatchAtBoundaries(t *testing.T) {
	for _, miss := range []string{"Undeleted items", "Paypoint", "Sender", "Postcode", "Removed? no: Removable", "Sharepoint", "Cancelled"} {
		if words().high.in(miss) || words().critical.in(miss) {
			t.Errorf("%q matches", miss)
		}
	}
	for _, hit := range []string{"Delete", "✕ Delete…", "Yes, delete it", "DELETE_ITEM", "本当に削除しますか", "确定要删除吗？", "정말삭제하시겠습니까"} {
		if !words().high.in(hit) {
			t.Errorf("%q does not match", hit)
		}
	}
	for _, low := range []string{"Next »", "Page 2", "2", "« Back", "Show more (12)"} {
		want := low != "2"
		if words().low.is(low) != want {
			t.Errorf("%q: low is %t", low, !want)
		}
	}
	if words().low.is("Next: delete everything") {
		t.Error("a phrase that only begins well is LOW")
	}
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{"Delete", "لمس", "\xff", "newPassword", "e\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if once := fold(text); strings.ToValidUTF8(text, "") == text && fold(once) != once {
			t.Errorf("%q folds to %q, and that to %q", text, once, fold(once))
		}
	})
}
