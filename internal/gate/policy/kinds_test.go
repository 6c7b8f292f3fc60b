package policy

import (
	"path"
	"testing"
)

func TestKindsOfHarmAreDistinguished(t *testing.T) {
	for text, want := range map[string]kinds{
		"": 0, "Next": 0, "Save": 0, "Undeleted": 0,
		"Delete": destroys, "Delete 3 items": destroys, "Move to trash": destroys, "Factory reset": destroys, "Delete account": destroys,
		"Rechnung löschen": destroys, "Supprimer": destroys, "Удалить": destroys, "删除": destroys, "삭제": destroys, "削除": destroys, "Xóa": destroys,
		"Send": sends, "Reply all": sends, "Veröffentlichen": sends, "Publier": sends, "Отправить": sends, "发送": sends, "送信": sends, "보내기": sends,
		"Pay now": pays, "Buy": pays, "Refund €900": pays, "Kostenpflichtig bestellen": pays, "Acheter": pays, "Оплатить": pays, "付款": pays, "決済": pays,
		"Grant access": grants, "Transfer ownership": grants | pays, "Passwort zurücksetzen": grants | destroys, "授权": grants,
		"Unsubscribe": ends, "Sign out": ends, "Cancel order": ends, "Abmelden": ends, "Se déconnecter": ends, "Выйти": ends, "退出登录": ends,
		"Delete and send": destroys | sends, "Dеlete": destroys, "D E L E T E": destroys,
	} {
		if got := kindsOf(text); got != want {
			t.Errorf("%q: %05b, want %05b", text, got, want)
		}
	}
}

func TestEveryLanguageHasWordsOfEveryKind(t *testing.T) {
	for _, language := range languages {
		var all kinds
		for section, list := range sectionsOf(path.Join("words", language+".txt")) {
			_, name := splitSection(section)
			kind := kindNames[name]
			all |= kind
			for _, phrase := range list {
				if kind != 0 && !kindsOf(phrase).has(kind) {
					t.Errorf("%s: %q is of no kind %s", language, phrase, name)
				}
			}
		}
		if all != destroys|sends|pays|grants|ends {
			t.Errorf("%s: only %05b", language, all)
		}
	}
}
