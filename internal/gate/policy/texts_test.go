package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// texts are labels of buttons and links of real sites: shops, mail, banks, forums and
// administration.
var texts = map[string]struct{ critical, high, medium, low []string }{
	"en": {
		[]string{"Buy now", "Place order – $129.00", "Pay with PayPal", "Confirm payment", "Complete purchase", "Delete my account permanently", "Transfer money"},
		[]string{"Delete", "Delete 3 items", "Move to Trash", "Remove from list", "Revoke access", "Cancel order", "Unsubscribe from all", "Send message", "Post reply", "Publish changes", "Share with team", "Sign out", "Log out of all devices"},
		[]string{"Save draft", "Submit", "Create project", "Update profile", "Confirm", "Add to cart"},
		[]string{"Next", "Show more", "View details", "Back", "Close", "Search", "Expand all", "Sort by"},
	},
	"de": {
		[]string{"Jetzt kostenpflichtig bestellen", "Zahlungspflichtig bestellen", "Jetzt kaufen", "Mit PayPal bezahlen", "Überweisung ausführen", "Zur Kasse", "Mein Konto endgültig löschen"},
		[]string{"Löschen", "Endgültig löschen", "In den Papierkorb", "Aus der Liste entfernen", "Zugriff widerrufen", "Bestellung stornieren", "Newsletter abbestellen", "Nachricht senden", "Absenden", "Beitrag veröffentlichen", "Link teilen", "Abmelden", "Abo kündigen"},
		[]string{"Speichern", "Entwurf speichern", "Projekt anlegen", "Aktualisieren", "Bestätigen"},
		[]string{"Weiter", "Zurück", "Mehr anzeigen", "Details", "Schließen", "Suchen", "Sortieren nach"},
	},
	"fr": {
		[]string{"Acheter maintenant", "Passer la commande", "Payer 42,00 €", "Valider le paiement", "Effectuer un virement", "Supprimer mon compte"},
		[]string{"Supprimer", "Supprimer définitivement", "Mettre à la corbeille", "Retirer du panier", "Révoquer l'accès", "Annuler la commande", "Se désabonner", "Envoyer le message", "Répondre", "Publier", "Partager", "Se déconnecter", "Résilier"},
		[]string{"Enregistrer", "Créer un projet", "Mettre à jour", "Confirmer", "Valider"},
		[]string{"Suivant", "Précédent", "Retour", "Voir plus", "Afficher plus", "Fermer", "Rechercher", "Détails"},
	},
	"es": {
		[]string{"Comprar ahora", "Realizar pedido", "Pagar ahora", "Confirmar pago", "Transferir dinero", "Finalizar compra", "Eliminar mi cuenta"},
		[]string{"Eliminar", "Borrar todo", "Mover a la papelera", "Quitar de la lista", "Revocar acceso", "Cancelar pedido", "Darse de baja", "Enviar mensaje", "Responder", "Publicar", "Compartir", "Cerrar sesión"},
		[]string{"Guardar", "Guardar cambios", "Crear proyecto", "Actualizar", "Confirmar", "Aceptar"},
		[]string{"Siguiente", "Anterior", "Volver", "Ver más", "Mostrar más", "Cerrar", "Buscar", "Detalles"},
	},
	"pt": {
		[]string{"Comprar agora", "Finalizar compra", "Fazer pedido", "Pagar agora", "Confirmar pagamento", "Transferir", "Excluir minha conta"},
		[]string{"Excluir", "Apagar", "Eliminar", "Mover para a lixeira", "Remover", "Revogar acesso", "Cancelar pedido", "Cancelar inscrição", "Enviar mensagem", "Responder", "Publicar", "Compartilhar", "Partilhar", "Sair", "Terminar sessão"},
		[]string{"Salvar", "Guardar", "Criar projeto", "Atualizar", "Confirmar"},
		[]string{"Próximo", "Anterior", "Voltar", "Ver mais", "Mostrar mais", "Fechar", "Pesquisar", "Detalhes"},
	},
	"it": {
		[]string{"Acquista ora", "Compra ora", "Effettua ordine", "Paga ora", "Conferma pagamento", "Esegui bonifico", "Elimina il mio account"},
		[]string{"Elimina", "Cancella", "Sposta nel cestino", "Rimuovi", "Revoca accesso", "Annulla ordine", "Annulla iscrizione", "Invia messaggio", "Rispondi", "Pubblica", "Condividi", "Esci", "Disconnetti"},
		[]string{"Salva", "Salva modifiche", "Crea progetto", "Aggiorna", "Conferma"},
		[]string{"Avanti", "Successivo", "Indietro", "Mostra altro", "Chiudi", "Cerca", "Dettagli"},
	},
	"nl": {
		[]string{"Nu kopen", "Bestelling plaatsen", "Bestellen en betalen", "Afrekenen", "Geld overmaken", "Account definitief verwijderen"},
		[]string{"Verwijderen", "Definitief verwijderen", "Naar prullenbak", "Wissen", "Toegang intrekken", "Bestelling annuleren", "Uitschrijven", "Bericht verzenden", "Versturen", "Beantwoorden", "Publiceren", "Delen", "Uitloggen", "Afmelden", "Abonnement opzeggen"},
		[]string{"Opslaan", "Project aanmaken", "Bijwerken", "Bevestigen"},
		[]string{"Volgende", "Vorige", "Terug", "Meer weergeven", "Sluiten", "Zoeken", "Details"},
	},
	"vi": {
		[]string{"Mua ngay", "Đặt hàng", "Thanh toán ngay", "Xác nhận thanh toán", "Chuyển khoản", "Xóa tài khoản vĩnh viễn"},
		[]string{"Xóa", "Xoá vĩnh viễn", "Chuyển vào thùng rác", "Gỡ bỏ", "Thu hồi quyền", "Hủy đơn hàng", "Huỷ đăng ký", "Gửi tin nhắn", "Trả lời", "Đăng bài", "Xuất bản", "Chia sẻ", "Đăng xuất"},
		[]string{"Lưu", "Lưu thay đổi", "Tạo dự án", "Cập nhật", "Xác nhận"},
		[]string{"Tiếp theo", "Quay lại", "Xem thêm", "Hiển thị thêm", "Đóng", "Tìm kiếm", "Chi tiết"},
	},
	"zh": {
		[]string{"立即购买", "提交订单", "确认付款", "去结算", "立即转账", "永久删除账号", "結帳", "註銷帳號"},
		[]string{"删除", "永久删除", "移到回收站", "移除", "撤销授权", "取消订单", "退订邮件", "发送消息", "回复", "发布文章", "分享给朋友", "退出登录", "登出"},
		[]string{"保存", "保存草稿", "创建项目", "更新资料", "确认"},
		[]string{"下一页", "上一页", "返回", "查看更多", "关闭", "搜索", "详情", "展开"},
	},
	"ja": {
		[]string{"今すぐ買う", "注文を確定する", "購入手続きへ", "お支払いへ進む", "振込を実行", "アカウントを完全に削除", "退会する"},
		[]string{"削除", "完全に削除する", "ゴミ箱へ移動", "リストから取り除く", "アクセスを取り消す", "注文をキャンセル", "配信停止", "メッセージを送信", "返信する", "記事を公開", "共有する", "ログアウト", "投稿する"},
		[]string{"保存", "下書きを保存", "プロジェクトを作成", "更新する", "確認"},
		[]string{"次へ", "前へ", "戻る", "もっと見る", "閉じる", "検索", "詳細", "展開"},
	},
	"ko": {
		[]string{"바로구매", "구매하기", "결제하기", "주문하기", "계좌이체", "송금하기", "계정 영구 삭제", "회원 탈퇴"},
		[]string{"삭제", "영구 삭제", "휴지통으로 이동", "목록에서 제거", "권한 철회", "주문 취소", "구독 해지", "메시지 보내기", "답장", "게시하기", "공유하기", "로그아웃", "전송"},
		[]string{"저장", "임시 저장", "프로젝트 만들기", "업데이트", "확인"},
		[]string{"다음", "이전", "뒤로", "더보기", "닫기", "검색", "상세 보기", "펼치기"},
	},
	"ru": {
		[]string{"Купить сейчас", "Оформить заказ", "Оплатить картой", "Подтвердить платёж", "Перевести деньги", "Удалить аккаунт навсегда"},
		[]string{"Удалить", "Удалить навсегда", "Переместить в корзину", "Убрать из списка", "Отозвать доступ", "Отменить заказ", "Отписаться", "Отправить сообщение", "Ответить", "Опубликовать", "Поделиться", "Выйти", "УДАЛИТЬ ВСЁ"},
		[]string{"Сохранить", "Создать проект", "Обновить профиль", "Подтвердить"},
		[]string{"Далее", "Назад", "Показать ещё", "Подробнее", "Закрыть", "Поиск", "Сортировать"},
	},
}

func TestLabelsOfRealButtonsAreJudged(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	for _, language := range languages {
		l, tried := texts[language], 0
		for _, c := range []struct {
			says []string
			want want
		}{
			{l.critical, want{Ask, action.Critical, "click.pay"}}, {l.high, want{Ask, action.High, "click.delete"}},
			{l.medium, want{Ask, action.Medium, ""}}, {l.low, want{Allow, action.Low, "click.navigation"}},
		} {
			for _, text := range c.says {
				tried++
				check(t, language+" "+text, decide(t, p, action.Agent, "page.click", &action.Click{}, on(button(text))), c.want)
			}
		}
		if tried < 15 || len(l.low) < 5 {
			t.Errorf("%s: %d texts are few", language, tried)
		}
	}
}

// The texts contain the letters of a risky word, and mean something else.
func TestWordsInOtherWordsDoNotCount(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	for _, text := range []string{"Undeleted items", "Sharepoint", "Postcode", "Paypoint map", "Sendung verfolgen", "Expéditeur", "Remitente", "Assender", "Verzendkosten"} {
		if v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(button(text))); v.Risk > action.Medium {
			t.Errorf("%s: %s by %s", text, v.Risk, v.Rule)
		}
	}
}
