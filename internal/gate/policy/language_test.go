package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Labels as they are found on real controls.
var labels = map[string]struct{ critical, high, medium, low, secret, guarded, personal, free []string }{
	"en": {[]string{"Buy now", "Place your order", "Transfer", "Close account"}, []string{"Delete", "Remove item", "Cancel subscription", "Send message", "Publish", "Share", "Log out", "Revoke access"}, []string{"Save changes", "Create invoice", "Update", "Archive letter"}, []string{"Next page", "Show more", "Search"}, []string{"Current password", "API key", "One-time code"}, []string{"Credit card number", "Passport number", "Configuration"}, []string{"First name", "E-mail address"}, []string{"Search", "Add a comment"}},
	"de": {[]string{"Jetzt kaufen", "Zahlungspflichtig bestellen", "Überweisung", "Konto löschen"}, []string{"Rechnung löschen", "Entfernen", "Nachricht senden", "Veröffentlichen", "Abmelden", "Stornieren"}, []string{"Änderungen speichern", "Rechnung erstellen", "Projekt archivieren"}, []string{"Weiter", "Mehr anzeigen"}, []string{"Passwort", "Aktuelles Kennwort"}, []string{"Kreditkarte", "Personalausweis", "Konfiguration"}, []string{"Vorname", "Straße"}, []string{"Suche", "Kommentar"}},
	"fr": {[]string{"Payer maintenant", "Acheter", "Passer la commande", "Supprimer mon compte"}, []string{"Supprimer", "Envoyer", "Publier", "Se déconnecter", "Annuler l'abonnement"}, []string{"Enregistrer", "Créer", "Archiver"}, []string{"Page suivante", "Voir plus"}, []string{"Mot de passe", "Code de vérification"}, []string{"Numéro de carte", "Passeport", "Paramètres"}, []string{"Prénom", "Adresse"}, []string{"Rechercher", "Commentaire"}},
	"es": {[]string{"Pagar ahora", "Comprar", "Realizar pedido", "Eliminar mi cuenta"}, []string{"Eliminar", "Enviar", "Publicar", "Cerrar sesión", "Cancelar suscripción"}, []string{"Guardar", "Crear", "Archivar"}, []string{"Siguiente", "Ver más"}, []string{"Contraseña", "Código de verificación"}, []string{"Número de tarjeta", "Pasaporte", "Configuración"}, []string{"Nombre", "Código postal"}, []string{"Buscar", "Palabra clave", "Comentario"}},
	"pt": {[]string{"Pagar agora", "Comprar", "Finalizar compra", "Excluir minha conta"}, []string{"Excluir", "Enviar", "Publicar", "Compartilhar", "Cancelar assinatura"}, []string{"Salvar", "Criar", "Arquivar"}, []string{"Próxima página", "Ver mais"}, []string{"Senha", "Código de verificação"}, []string{"Número do cartão", "CPF", "Configurações"}, []string{"Sobrenome", "Endereço"}, []string{"Pesquisar", "Comentário"}},
	"it": {[]string{"Paga ora", "Acquista", "Bonifico", "Elimina account"}, []string{"Elimina", "Invia", "Pubblica", "Condividi", "Annulla abbonamento", "Esci"}, []string{"Salva", "Crea", "Archivia"}, []string{"Pagina successiva", "Mostra altro"}, []string{"Password", "Codice di verifica"}, []string{"Numero carta", "Codice fiscale", "Impostazioni"}, []string{"Cognome", "Indirizzo"}, []string{"Cerca", "Commento"}},
	"nl": {[]string{"Nu betalen", "Kopen", "Bestelling plaatsen", "Account verwijderen"}, []string{"Verwijderen", "Verzenden", "Publiceren", "Delen", "Abonnement annuleren", "Uitloggen"}, []string{"Opslaan", "Aanmaken", "Archiveren"}, []string{"Volgende", "Meer weergeven"}, []string{"Wachtwoord", "Verificatiecode"}, []string{"Kaartnummer", "Paspoort", "Instellingen"}, []string{"Achternaam", "Woonplaats"}, []string{"Zoeken", "Opmerking"}},
	"vi": {[]string{"Thanh toán", "Mua ngay", "Chuyển tiền", "Xóa tài khoản"}, []string{"Xóa", "Xoá hoá đơn", "Gửi", "Chia sẻ", "Hủy đơn hàng", "Đăng xuất"}, []string{"Lưu", "Tạo mới", "Lưu trữ"}, []string{"Trang sau", "Xem thêm", "Xem tất cả"}, []string{"Mật khẩu", "Mã xác minh"}, []string{"Số thẻ", "Hộ chiếu", "Cấu hình"}, []string{"Họ và tên", "Địa chỉ"}, []string{"Tìm kiếm", "Bình luận"}},
	"zh": {[]string{"立即付款", "购买", "提交订单", "删除账号", "轉帳"}, []string{"删除", "刪除發票", "发送", "发布", "分享", "取消订单", "退出登录"}, []string{"保存", "新建发票", "归档"}, []string{"下一页", "查看更多"}, []string{"密码", "請輸入密碼", "验证码"}, []string{"信用卡号", "身份证", "系统配置"}, []string{"姓名", "地址"}, []string{"搜索", "评论"}},
	"ja": {[]string{"今すぐ購入", "支払う", "注文を確定する", "アカウントを削除"}, []string{"削除", "請求書を削除する", "送信", "公開する", "共有", "注文をキャンセル", "ログアウト"}, []string{"保存", "作成", "アーカイブ"}, []string{"次へ", "もっと見る"}, []string{"パスワード", "暗証番号"}, []string{"カード番号", "パスポート", "設定"}, []string{"氏名", "住所"}, []string{"検索", "コメント"}},
	"ko": {[]string{"결제하기", "구매", "송금", "회원 탈퇴"}, []string{"삭제", "보내기", "게시", "공유", "주문 취소", "로그아웃"}, []string{"저장", "만들기", "보관처리"}, []string{"다음", "더보기"}, []string{"비밀번호", "인증번호 입력"}, []string{"카드번호", "주민등록번호", "환경 설정"}, []string{"이름", "주소"}, []string{"검색", "댓글"}},
	"ru": {[]string{"Оплатить", "Купить", "Оформить заказ", "Удалить аккаунт"}, []string{"Удалить счёт", "Отправить", "Опубликовать", "Поделиться", "Отменить заказ", "Выйти"}, []string{"Сохранить", "Создать", "Архивировать"}, []string{"Далее", "Показать ещё"}, []string{"Пароль", "Код подтверждения"}, []string{"Номер карты", "Паспорт", "Настройки"}, []string{"Фамилия", "Адрес"}, []string{"Поиск", "Комментарий"}},
}

func TestEveryLanguageIsUnderstood(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	for _, language := range languages {
		l := labels[language]
		for _, c := range []struct {
			names []string
			want  want
		}{
			{l.critical, want{Ask, action.Critical, "click.pay"}}, {l.high, want{Ask, action.High, "click.delete"}},
			{l.medium, want{Ask, action.Medium, ""}}, {l.low, want{Allow, action.Low, "click.navigation"}},
		} {
			for _, name := range c.names {
				check(t, language+" button "+name, decide(t, p, action.Agent, "page.click", &action.Click{}, on(button(name))), c.want)
			}
		}
		for _, c := range []struct {
			names []string
			want  want
		}{
			{l.secret, want{Deny, action.Critical, "field.secret"}}, {l.guarded, want{Ask, action.High, "field.guarded"}},
			{l.personal, want{Ask, action.Medium, "field.personal"}}, {l.free, want{Allow, action.Low, "field.free"}},
		} {
			if len(c.names) < 2 {
				t.Errorf("%s has too few examples", language)
			}
			for _, name := range c.names {
				check(t, language+" field "+name, decide(t, p, action.Agent, "page.type", &action.Type{Input: "x"}, on(field(name))), c.want)
			}
		}
	}
}
