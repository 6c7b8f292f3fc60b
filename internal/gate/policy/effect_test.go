package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func bodyOf(pairs ...string) (all []action.BodyField) {
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, action.BodyField{Name: pairs[i], Value: pairs[i+1]})
	}
	return all
}

// Requests are judged by method, address, field names, control values and
// GraphQL operations.
func TestRequestsAreJudgedByTheirContent(t *testing.T) {
	const app = "https://app.example"
	for _, c := range []struct {
		method, url string
		fields      []action.BodyField
		want        action.Risk
	}{
		{"GET", app + "/items?page=2", nil, action.Low},
		{"GET", app + "/how-to-delete", nil, action.Low},
		{"GET", app + "/releases/1.2", nil, action.Low},
		{"GET", app + "/items/5/delete", nil, action.High},
		{"GET", app + "/items/5/dELETE", nil, action.High},
		{"GET", app + "/logout", nil, action.High},
		{"GET", app + "/?action=delete&id=5", nil, action.High},
		{"HEAD", app + "/items", nil, action.Low},
		{"GET", app + "/doku.php?do=", nil, action.Low},
		{"GET", app + "/doku.php?id=delete_files&do=revisions", nil, action.Low},

		{"POST", app + "/checkout/address", bodyOf("street", "Hill Road"), action.Medium},
		{"POST", app + "/de/checkout/shipping-method", bodyOf("method", "post"), action.Medium},
		{"POST", app + "/checkout", bodyOf("name", "Ann"), action.Critical},
		{"POST", app + "/checkout/payment", nil, action.Critical},
		{"POST", app + "/checkout/address/order", nil, action.Critical},
		{"POST", app + "/transfers/review", bodyOf("payee", "Ann", "amount", "25"), action.Medium},
		{"POST", app + "/transfers", bodyOf("payee", "Ann", "amount", "25"), action.Critical},
		{"POST", app + "/transfers/review", bodyOf("amount", "25", "cardnumber", "4111"), action.Critical},
		{"POST", app + "/transfers/review;x=/send", bodyOf("payee", "Ann", "amount", "25"), action.Critical},
		{"POST", app + "/wp-admin/post.php", bodyOf("action", "post-quickdraft-save", "post_ID", "4", "save", "Save Draft"), action.Medium},
		{"POST", app + "/do", bodyOf("delete_id", "4"), action.High},
		{"POST", app + "/account/close", nil, action.High},
		{"POST", app + "/trash/empty", nil, action.High},
		{"POST", app + "/issues/3/close", bodyOf("text", ""), action.Medium},

		{"POST", app + "/api/search", bodyOf("q", "delete account"), action.Low},
		{"POST", app + "/api/items/filter", nil, action.Low},
		{"POST", app + "/_analytics/collect", bodyOf("e", "purchase"), action.Low},
		{"POST", app + "/wp-admin/admin-ajax.php", bodyOf("action", "heartbeat"), action.Low},
		{"POST", app + "/graphql", bodyOf("query", "query Items { items { id } }"), action.Low},
		{"POST", app + "/graphql", bodyOf("query", "{ me { name } }"), action.Low},

		{"POST", app + "/rpc", bodyOf("method", "torrent-get"), action.Low},
		{"POST", app + "/rpc", bodyOf("method", "torrent-get-removed"), action.Medium},
		{"GET", app + "/admin/groups/2/change/", nil, action.Low},

		{"POST", app + "/cookie-consent", bodyOf("analytics", "false"), action.Low},
		{"POST", app + "/api/cookies/accept", nil, action.Low},
		{"PUT", app + "/preferences/theme", bodyOf("theme", "dark"), action.Low},
		{"POST", app + "/settings/dark-mode", bodyOf("on", "1"), action.Low},
		{"POST", app + "/cart/shipping-estimate", bodyOf("zip", "12345"), action.Low},
		{"POST", app + "/shipping/estimate", bodyOf("zip", "12345"), action.Low},
		{"POST", app + "/reviews/5/helpful", nil, action.Low},
		{"POST", app + "/compare/add", bodyOf("id", "5"), action.Low},
		{"POST", app + "/compare/5", nil, action.Low},

		{"POST", app + "/oauth/consent", bodyOf("scope", "all"), action.Medium},
		{"POST", app + "/estimates", bodyOf("customer", "Ada"), action.Medium},
		{"POST", app + "/themes/5/activate", nil, action.Medium},
		{"POST", app + "/theme/delete", nil, action.High},
		{"POST", app + "/cookies", bodyOf("action", "delete"), action.High},
		{"POST", app + "/orders/compare", bodyOf("amount", "5", "to", "x"), action.Critical},
		{"DELETE", app + "/compare/5", nil, action.High},
		{"POST", app + "/api/items", bodyOf("title", "Delete me"), action.Medium},
		{"PUT", app + "/api/items/5", nil, action.Medium},
		{"PATCH", app + "/api/me", bodyOf("name", "x"), action.Medium},
		{"POST", app + "/wp-admin/post.php", bodyOf("action", "editpost"), action.Medium},
		{"POST", app + "/invoices", bodyOf("customer", "Ada", "amount", "1250", "currency", "GBP"), action.Medium},
		{"POST", app + "/cart/add", bodyOf("id", "5"), action.Medium},
		{"POST", app + "/posts/5/comments", bodyOf("text", "please send"), action.Medium},
		{"POST", app + "/graphql", bodyOf("query", "mutation { updateTitle(id: 1) { id } }"), action.Medium},

		{"POST", app + "/api/items/5", bodyOf("action", "post-quickdraft-save"), action.Medium},
		{"POST", app + "/groups/2/change", bodyOf("name", "Editors", "post", "yes"), action.Medium},

		{"DELETE", app + "/api/items/5", nil, action.High},
		{"POST", app + "/groups/2/change", bodyOf("name", "Editors", "permissions", "12"), action.High},
		{"POST", app + "/wp-admin/user-new.php", bodyOf("action", "createuser", "role", "administrator"), action.High},
		{"PUT", app + "/api/users/5", bodyOf("roles.0", "admin"), action.High},
		{"POST", app + "/api/items/5", bodyOf("action", "delete-draft"), action.High},
		{"PURGE", app + "/api/items/5", nil, action.High},
		{"purge", app + "/api/items/5", nil, action.High},
		{"UNLINK", app + "/api/items/5", nil, action.High},
		{"MOVE", app + "/files/a.txt", nil, action.High},
		{"PROPFIND", app + "/files/a.txt", nil, action.Medium},
		{"POST", app + "/$batch", bodyOf("0.method", "DELETE", "0.url", "Rows(1)"), action.High},
		{"POST", app + "/$batch", bodyOf("requests.0.method", "GET", "requests.0.url", "/rows", "requests.1.method", "POST", "requests.1.url", "/rows/5/delete"), action.High},
		{"POST", app + "/$batch", bodyOf("requests.0.method", "GET", "requests.0.url", "/rows"), action.Medium},
		{"POST", app + "/$batch", bodyOf("requests.0.method", "POST", "requests.0.url", "/rows"), action.Medium},
		{"POST", app + "/api", bodyOf("operations.0.relative_url", "5/delete", "operations.0.method", "post"), action.High},
		{"POST", app + "/socket", bodyOf("0", "deleteRow", "1", "5"), action.High},
		{"POST", app + "/socket", bodyOf("0.0", "delete", "0.1", "5"), action.High},
		{"POST", app + "/socket", bodyOf("0", "rename", "1", "Delete"), action.Medium},
		{"POST", app + "/tags", bodyOf("tags.0", "delete"), action.Medium},
		{"POST", app + "/xmlrpc", bodyOf("", "<methodCall><methodName>wp.del<!-- -->etePost</methodName></methodCall>"), action.High},
		{"POST", app + "/xmlrpc", bodyOf("", "<methodCall><methodName><![CDATA[wp.deletePost]]></methodName></methodCall>"), action.High},
		{"POST", app + "/xmlrpc", bodyOf("", "<methodCall><methodName>wp.del&#101;tePost</methodName></methodCall>"), action.High},
		{"POST", app + "/xmlrpc", bodyOf("", `<!DOCTYPE m [<!ENTITY d "deletePost">]><methodCall><methodName>&d;</methodName></methodCall>`), action.High},
		{"POST", app + "/soap", bodyOf("", "<s:Envelope><s:Body><x:DeleteItem id='5'/></s:Body></s:Envelope>"), action.High},
		{"PUT", app + "/notes/5", bodyOf("", "<h1>To do</h1><p>Delete the old <br>list & send it"), action.Medium},
		{"POST", app + "/api/items/5/delete", nil, action.High},
		{"POST", app + "/api/deleteItem", bodyOf("id", "5"), action.High},
		{"POST", app + "/items/5", bodyOf("_method", "delete"), action.High},
		{"POST", app + "/wp-admin/admin-ajax.php", bodyOf("action", "delete-post"), action.High},
		{"POST", app + "/rpc", bodyOf("jsonrpc", "2.0", "method", "removeUser"), action.High},
		{"POST", app + "/mail/send", nil, action.High},
		{"POST", app + "/loeschen", bodyOf("id", "5"), action.High},
		{"POST", app + "/logout", nil, action.High},
		{"POST", app + "/graphql", bodyOf("query", "mutation Drop { deleteItem(id: 1) { ok } }"), action.High},
		{"POST", app + "/graphql", bodyOf("operationName", "SendInvite", "variables.to", "x"), action.High},

		// that an address searches or measures does not lower the risk of what else is named
		{"POST", app + "/search/members", nil, action.Low},
		{"POST", app + "/items/5/validate", bodyOf("name", "x"), action.Low},
		{"POST", app + "/_analytics/collect", bodyOf("action", "delete"), action.Low},
		{"POST", app + "/orders;search", nil, action.Critical},
		{"POST", app + "/transfer.php/search", bodyOf("amount", "9", "to", "x"), action.Critical},
		{"POST", app + "/transfer", bodyOf("action", "search"), action.Critical},
		{"POST", app + "/orders", bodyOf("query", "{a}"), action.Critical},
		{"POST", app + "/items/5/delete", bodyOf("query", "query{a}"), action.High},
		{"POST", app + "/items/5/delete/collect", nil, action.High},
		{"POST", app + "/metrics", bodyOf("_method", "delete"), action.High},
		{"POST", app + "/cart/checkOut", nil, action.Critical},
		{"POST", app + "/list/members", bodyOf("user", "5"), action.High},
		{"POST", app + "/api/search/delete", nil, action.High},
		{"POST", app + "/search/pay", nil, action.Critical},
		{"POST", app + "/ajax/cart-pay-preview", nil, action.Critical},
		{"POST", app + "/admin/users-remove-view", nil, action.High},
		{"POST", app + "/delete/search", nil, action.High},
		{"POST", app + "/items/delete-check", nil, action.High},
		{"POST", app + "/api/orders/search", nil, action.Low},
		{"POST", app + "/api/payments/list", nil, action.Low},
		{"POST", app + "/api/messages/search", nil, action.Low},
		{"POST", app + "/api/comments/preview", nil, action.Low},
		{"POST", app + "/posts/5/autosave", nil, action.Low},
		{"POST", app + "/api/shared/list", nil, action.Low},
		{"POST", app + "/api/cart/validate", nil, action.Low},
		// names near those of harm, that are not
		{"POST", app + "/posts/5/comments", bodyOf("post[title]", "x", "release[name]", "y"), action.Medium},
		{"POST", app + "/cart/address", bodyOf("payment_method", "transfer", "contact_method", "post"), action.Medium},
		{"POST", app + "/items/5", bodyOf("type", "send"), action.Medium},
		{"POST", app + "/items/5/actions", bodyOf("type", "power_off"), action.High},
		{"POST", app + "/items/5", bodyOf("name", "deleteItem"), action.Medium},
		{"POST", app + "/items/5", bodyOf("path", "/docs/how-to-delete"), action.Medium},
		{"POST", app + "/api/search", bodyOf("q", "how to drop table salt"), action.Low},
		{"POST", app + "/api/search", bodyOf("q", "DROP TABLE users"), action.High},
		{"POST", app + "/profile", bodyOf("group", "friends", "access", "friends"), action.Medium},
		{"POST", app + "/lists/complete", bodyOf("q", "x"), action.Low},
		{"POST", app + "/api/chat.list", nil, action.Medium},
		{"POST", app + "/files/report.draft", nil, action.Medium},
		{"GET", app + "/search?q=a;b", nil, action.Low},
		{"GET", app + "/search?q=100%", nil, action.Low},
		{"GET", app + "/?page=articles&id=5", nil, action.Low},
		{"GET", app + "/wiki/Delete_all_old_files_now", nil, action.Low},
		{"SUBSCRIBE", app + "/feed", nil, action.Medium},

		// other ways to name an action
		{"POST", app + "/x", bodyOf("X-Http-Method-Override", "DELETE"), action.High},
		{"POST", app + "/x", bodyOf("data[action]", "delete"), action.High},
		{"POST", app + "/x", bodyOf("btnDelete", "1"), action.High},
		{"POST", app + "/x", bodyOf("__EVENTTARGET", "ctl00$btnDelete"), action.High},
		{"POST", app + "/x", bodyOf("commit", "Save changes"), action.Medium},
		{"POST", app + "/soap", bodyOf("", "<s:Envelope><s:Body><DeleteItem/></s:Body></s:Envelope>"), action.High},
		{"POST", app + "/feed", bodyOf("", "<entry><title>Delete it</title></entry>"), action.Medium},
		{"POST", app + "/graphql", bodyOf("operationName", "M", "query", "query Q{a} mutation M{deleteItem(id:5)}"), action.High},
		{"POST", app + "/graphql", bodyOf("query", ",\ufeff mutation{logout}"), action.High},
		{"GET", app + "/graphql?query=mutation%7BdeleteItem(id:5)%7Bid%7D%7D", nil, action.High},
		{"GET", app + "/graphql?query=%7Bitems%7Bid%7D%7D", nil, action.Low},
		{"GET", app + "/items/5/dElEtE", nil, action.High},
		{"GET", app + "/items/5;x/delete;y", nil, action.High},
		{"GET", app + "/admin/docs/delete/5", nil, action.High},
		{"GET", app + "/docs/delete", nil, action.Low},
		{"POST", app + "/graphql", bodyOf("query", "query A { a(s: \"#\") } mutation B { deleteItem(id: 1) { ok } }"), action.High},
		{"POST", app + "/graphql", bodyOf("query", "query A { a(s: \"\"\"\n#\"\"\") } mutation B { updateItem(id: 1) { ok } }"), action.Medium},
		{"POST", app + "/graphql", bodyOf("query", "query A { mutation { id } } # mutation B { deleteItem }"), action.Low},
		{"POST", app + "/graphql", bodyOf("query", "mutation B { ...F } fragment F on M { x: deleteItem(id: 1) { ok } }"), action.High},
		{"POST", app + "/graphql", bodyOf("query", "mutation B { ok: deleteItem(id: 1) { ok } }"), action.High},
		{"POST", app + "/graphql", bodyOf("query", "query A { items { id "), action.Medium},
		{"POST", app + "/graphql", bodyOf("query", "query A { deleteItem(s: \"}\") { id "), action.High},
		{"GET", app + "/list?template=%7B%7Bname%7D%7D", nil, action.Low},
		{"OPTIONS", app + "/items", nil, action.Low},
		{"OPTIONS", app + "/items/5/delete", nil, action.High},
		{"OPTIONS", app + "/items", bodyOf("a", "b"), action.Medium},
		// what only looks like an order
		{"POST", app + "/filters/reset", nil, action.Medium},
		{"POST", app + "/zoom/reset", nil, action.Medium},
		{"POST", app + "/forms/contact", bodyOf("sender", "no-reply@shop.test"), action.Medium},
		{"POST", app + "/post/5", bodyOf("title", "x"), action.Medium},
		{"POST", app + "/?list-table.item", nil, action.Medium},
		{"POST", app + "/scripts/5", bodyOf("code", "deleteItem(5)"), action.Medium},
		{"POST", app + "/scripts/run", bodyOf("code", "print(5)"), action.Medium},
		{"POST", app + "/x", bodyOf("__typename", "PostConnection"), action.Medium},
		{"PUT", app + "/settings", bodyOf("smtp_password", "x"), action.Medium},
		{"PUT", app + "/login", bodyOf("user", "x", "password", "x"), action.Medium},
		{"PUT", app + "/items/5/state", bodyOf("", "open"), action.Medium},
		{"PUT", app + "/items/5/note", bodyOf("", "deleted"), action.Medium},
		{"GET", app + "/?data=eyJ0aXRsZSI6ImRlbGV0ZSJ9", nil, action.Low},
		// states, rights, passwords
		{"PATCH", app + "/items/5", bodyOf("deleted", "true"), action.High},
		{"PATCH", app + "/items/5", bodyOf("status", "done"), action.Medium},
		{"PATCH", app + "/users/5", bodyOf("role", "admin"), action.High},
		{"POST", app + "/account", bodyOf("new_password", "x"), action.High},
		{"PUT", app + "/account/password", bodyOf("value", "x"), action.High},
		{"POST", app + "/login", bodyOf("user", "x", "password", "x"), action.Medium},
		{"POST", app + "/auth/password", bodyOf("user", "x", "password", "x"), action.Medium},
		{"POST", app + "/x", bodyOf("to", "a@b.c", "subject", "hi", "body", "x"), action.High},

		{"POST", app + "/api/transfer", nil, action.Critical},
		{"POST", app + "/api/x", bodyOf("amount", "900", "iban", "DE02"), action.Critical},
		{"POST", app + "/api/x", bodyOf("card.number", "4111", "cvc", "123"), action.Critical},
		{"POST", app + "/checkout", nil, action.Critical},
		{"POST", "https://checkout.stripe.com/v1/x", nil, action.Critical},
		{"POST", app + "/graphql", bodyOf("query", "mutation { transferMoney(to: 1) { ok } }"), action.Critical},
	} {
		r := action.Request{Method: c.method, URL: c.url, Fields: c.fields, Document: app + "/", Kind: "XHR"}
		var p Policy
		j, _ := p.classify(r)
		if j.risk != c.want {
			t.Errorf("%s %s %v: %s by %s, want %s", c.method, c.url, c.fields, j.risk, j.rule, c.want)
		}
	}
}

// A picture or script is judged by its address before its file ending.
func TestAFileEndingHidesNoAct(t *testing.T) {
	const app = "https://app.example"
	for address, want := range map[string]action.Risk{
		"/static/cancel.js": action.Low, "/cancel.js": action.Low, "/icons/delete.png": action.Low, "/img/5/delete.png": action.Low,
		"/assets/8f3a2c1d/remove.svg": action.Low, "/_next/static/chunks/12-logout.js": action.Low, "/pictures/2024/05/7.jpg": action.Low,
		"/items/5/delete.png": action.High, "/items/5/DELETE.png": action.High, "/delete.php/5.gif": action.High, "/logout.js/5.js": action.High,
		"/items/delete/5.png": action.High, "/items/5/delete.png?x": action.High, "/static/delete.php/5.gif": action.High,
	} {
		for _, kind := range []string{"Image", "Script", "Stylesheet", "Font", "Media"} {
			var p Policy
			if j, _ := p.classify(action.Request{Method: "GET", URL: app + address, Document: app + "/", Kind: kind}); j.risk != want {
				t.Errorf("%s as %s: %s by %s, want %s", address, kind, j.risk, j.rule, want)
			}
		}
	}
}

// A request gets the risk of the act that caused it, and the approval of that act covers it.
func TestRequestsAreJoinedToActs(t *testing.T) {
	p, err := New(Config{Enabled: true, AskAt: AskAtWire, Trusted: []string{"app.example"}, Allowed: []string{"app.example", "bank.example"}})
	if err != nil {
		t.Fatal(err)
	}
	const app = "https://app.example"
	post := func(url string) action.Request {
		return action.Request{Method: "POST", URL: url, Document: app + "/", Kind: "XHR"}
	}
	socket := func(url string) action.Request {
		return action.Request{Method: "CONNECT", URL: url, Kind: action.ChannelKind}
	}
	open := action.Request{Method: "CONNECT", URL: "wss://app.example/live", Kind: action.ChannelKind, Open: true}
	get := action.Request{Method: "GET", URL: app + "/api/x?op=5", Document: app + "/", Kind: "XHR"}
	high := Act{Risk: action.High, Rule: "click.delete", Deferred: true}
	low := Act{Risk: action.Low}
	yes := Act{Risk: action.High, Deferred: true, Approved: true, Cover: Cover{Hosts: []string{"app.example"}, Kinds: destroys, Risk: action.High}}
	shown := yes
	shown.Covered = true
	by := func(d ...Act) []Act { return d }
	told := func(d Act) Act { d.Told = true; return d }
	bytes := post(app + "/rpc")
	bytes.Unread, bytes.Unknown = true, true
	beacon := post(app + "/api/telemetry")
	beacon.Unread, beacon.Unknown = true, true
	there := bytes
	there.URL, there.Document = "https://bank.example/search", "https://bank.example/"
	for name, c := range map[string]struct {
		o    Outgoing
		want Decision
	}{
		"an opaque request of a HIGH act":                        {Outgoing{Request: post(app + "/rpc"), Acts: by(high)}, Ask},
		"an opaque request of a tab that is told of a HIGH act":  {Outgoing{Request: post(app + "/rpc"), Acts: by(told(high))}, Ask},
		"the same of the act's own tab, that polls":              {Outgoing{Request: post(app + "/rpc"), Acts: by(high), Polls: true}, Ask},
		"the same of another tab that polls":                     {Outgoing{Request: post(app + "/rpc"), Acts: by(told(high)), Polls: true}, Allow},
		"a deletion by another tab that polls":                   {Outgoing{Request: post(app + "/items/5/delete"), Acts: by(told(high)), Polls: true}, Ask},
		"a draft by another tab that polls":                      {Outgoing{Request: post(app + "/api/drafts/5"), Acts: by(told(high)), Polls: true}, Allow},
		"a LOW act of its own tab and an earlier one of another": {Outgoing{Request: post(app + "/rpc"), Acts: by(low, told(high))}, Ask},
		"the same of a tab that polls":                           {Outgoing{Request: post(app + "/rpc"), Acts: by(low, told(high)), Polls: true}, Allow},
		"the same after a HIGH act of its own, too":              {Outgoing{Request: post(app + "/rpc"), Acts: by(told(high), high), Polls: true}, Ask},
		"bytes of a MEDIUM act":                                  {Outgoing{Request: bytes, Acts: by(Act{Risk: action.Medium, Deferred: true})}, Ask},
		"bytes of a MEDIUM act that was not deferred":            {Outgoing{Request: bytes, Acts: by(Act{Risk: action.Medium})}, Ask},
		"bytes of a LOW act":                                     {Outgoing{Request: bytes, Acts: by(low)}, Allow},
		"bytes of a LOW act on a host that is not trusted":       {Outgoing{Request: there, Acts: by(low)}, Ask},
		"bytes that nobody acted for":                            {Outgoing{Request: bytes}, Allow},
		"bytes of analytics":                                     {Outgoing{Request: beacon, Acts: by(Act{Risk: action.Medium, Deferred: true})}, Allow},
		"bytes of an operator":                                   {Outgoing{Request: bytes, Acts: by(Act{Risk: action.Medium, Operator: true})}, Allow},
		"what a HIGH act reads":                                  {Outgoing{Request: get, Acts: by(high)}, Ask},
		"what a HIGH act reads, and pages read before":           {Outgoing{Request: get, Acts: by(high), Known: true}, Allow},
		"a picture of another site after a HIGH act":             {Outgoing{Request: action.Request{Method: "GET", URL: "https://pictures.example/a?s=32", Kind: "Image"}, Acts: by(high)}, Allow},
		"a fetch of an allowed site after a HIGH act":            {Outgoing{Request: action.Request{Method: "GET", URL: "https://bank.example/a?m=17", Kind: "Fetch"}, Acts: by(high)}, Ask},
		"a fetch of a site that agents may not open":             {Outgoing{Request: action.Request{Method: "GET", URL: "https://cdn.example/a?m=17", Kind: "Fetch"}, Acts: by(high)}, Allow},
		"what looks like a file, with parameters":                {Outgoing{Request: action.Request{Method: "GET", URL: app + "/rpc.json?m=17", Kind: "Fetch"}, Acts: by(high)}, Ask},
		"a file that a script reads":                             {Outgoing{Request: action.Request{Method: "GET", URL: app + "/texts/en.json", Kind: "Fetch"}, Acts: by(high)}, Allow},
		"analytics of a HIGH act":                                {Outgoing{Request: post(app + "/api/v2/telemetry"), Acts: by(high)}, Allow},
		"what has the name of analytics below a thing":           {Outgoing{Request: post(app + "/invoices/collect"), Acts: by(high)}, Ask},
		"a picture of another site that acts":                    {Outgoing{Request: action.Request{Method: "GET", URL: "https://bank.example/items/5/delete?s=32", Kind: "Image"}, Acts: by(high)}, Ask},
		"a script that is called as what acts":                   {Outgoing{Request: action.Request{Method: "GET", URL: app + "/static/cancel.js", Kind: "Script"}, Acts: by(low)}, Allow},
		"what a page reads that is called as it is":              {Outgoing{Request: action.Request{Method: "GET", URL: app + "/data/sidebar/delete-files", Document: app + "/detail/delete-files", Kind: "Fetch"}, Acts: by(low)}, Allow},
		"what a page reads that acts as its address does":        {Outgoing{Request: action.Request{Method: "GET", URL: app + "/data/delete-files", Document: app + "/all/delete-files", Kind: "Fetch"}, Acts: by(low)}, Ask},
		"a draft of a MEDIUM act":                                {Outgoing{Request: post(app + "/api/drafts/5"), Acts: by(Act{Risk: action.Medium, Deferred: true})}, Allow},
		"a draft of a HIGH act":                                  {Outgoing{Request: post(app + "/api/drafts/5"), Acts: by(high)}, Ask},
		"what a page sends that is gone to":                      {Outgoing{Request: post(app + "/visits"), Acts: by(Act{Link: true})}, Allow},
		"a deletion by a page that is gone to":                   {Outgoing{Request: post(app + "/items/5/delete"), Acts: by(Act{Link: true})}, Ask},
		"a document that is called so":                           {Outgoing{Request: action.Request{Method: "GET", URL: app + "/cancel.js", Kind: "Document"}, Acts: by(low)}, Ask},
		"what a LOW act reads":                                   {Outgoing{Request: get, Acts: by(low)}, Allow},
		"an opaque request of a LOW act after a HIGH one":        {Outgoing{Request: post(app + "/rpc"), Acts: by(low, high)}, Ask},
		"the same where only the LOW one lives":                  {Outgoing{Request: post(app + "/rpc"), Acts: by(low)}, Allow},
		"a deletion that a person allowed":                       {Outgoing{Request: post(app + "/items/5/delete"), Acts: by(shown)}, Allow},
		"another one of the same act":                            {Outgoing{Request: post(app + "/items/6/delete"), Acts: by(yes)}, Ask},
		"an opaque request after an allowed one":                 {Outgoing{Request: post(app + "/rpc"), Acts: by(yes)}, Ask},
		"sending, where deleting was allowed":                    {Outgoing{Request: post(app + "/mail/send"), Acts: by(yes)}, Ask},
		"what is read after an allowed deletion":                 {Outgoing{Request: get, Acts: by(yes)}, Allow},
		"what is read elsewhere after an allowed deletion":       {Outgoing{Request: action.Request{Method: "GET", URL: "https://bank.example/api/x", Kind: "Document"}, Acts: by(yes)}, Ask},
		"a deletion of the act after the one allowed":            {Outgoing{Request: post(app + "/items/6/delete"), Acts: by(low, yes)}, Ask},
		"a deletion that nobody acted for":                       {Outgoing{Request: post(app + "/items/5/delete")}, Ask},
		"a change that nobody acted for":                         {Outgoing{Request: post(app + "/state")}, Allow},
		"a change of another site that nobody acted for":         {Outgoing{Request: post("https://bank.example/state")}, Ask},
		"analytics elsewhere":                                    {Outgoing{Request: post("https://stats.example/collect")}, Allow},
		"an operator's act":                                      {Outgoing{Request: post(app + "/items/5/delete"), Acts: by(Act{Operator: true})}, Allow},
		"an operator's session, by itself":                       {Outgoing{Request: post(app + "/items/5/delete"), Owner: action.Operator}, Allow},
		"an agent acts beside a person's program":                {Outgoing{Request: post(app + "/items/5/delete"), People: true, Acts: by(low)}, Ask},
		"a person drives":                                        {Outgoing{Request: post(app + "/items/5/delete"), People: true}, Allow},
		"a read-only session":                                    {Outgoing{Request: post(app + "/api/search"), Sending: action.SendNone}, Deny},
		"a read-only session that signs out by GET":              {Outgoing{Request: action.Request{Method: "GET", URL: app + "/logout"}, Sending: action.SendNone}, Deny},
		"a read-only session that reads":                         {Outgoing{Request: get, Sending: action.SendNone}, Allow},
		"a test host":                                            {Outgoing{Request: post(app + "/items/5/delete"), Sending: action.SendFree}, Allow},
		"a WebSocket of a read-only session":                     {Outgoing{Request: socket("wss://app.example:443/"), Sending: action.SendNone}, Deny},
		"one that is open already":                               {Outgoing{Request: open, Sending: action.SendNone}, Deny},
		"a WebSocket that nobody acted for":                      {Outgoing{Request: socket("wss://app.example:443/")}, Allow},
		"a WebSocket that a LOW act opens":                       {Outgoing{Request: socket("ws://bank.example:80/x"), Acts: by(low)}, Allow},
		"a WebSocket that a HIGH act opens":                      {Outgoing{Request: socket("wss://app.example:443/"), Acts: by(high)}, Ask},
		"the same, open already":                                 {Outgoing{Request: open, Acts: by(high)}, Allow},
		"a WebSocket of an act that a person allowed":            {Outgoing{Request: socket("wss://app.example:443/"), Acts: by(yes)}, Allow},
		"a WebSocket elsewhere of an act that was allowed":       {Outgoing{Request: socket("wss://bank.example:443/"), Acts: by(yes)}, Ask},
	} {
		if c.o.Request.Document == "" && c.o.Request.Kind != action.ChannelKind {
			c.o.Request.Document = app + "/"
		}
		if c.o.Owner == "" {
			c.o.Owner = action.Agent
		}
		if v := p.Effect(c.o); v.Decision != c.want {
			t.Errorf("%s: %s, %s by %s, want %s", name, v.Decision, v.Risk, v.Rule, c.want)
		}
	}
	var none *Policy
	if v := none.Effect(Outgoing{Request: get}); v.Decision != Deny {
		t.Error("no policy lets something out")
	}
}

func TestRulesAboutRequestsAreExact(t *testing.T) {
	c := Config{Enabled: true, AskAt: AskAtWire, Effects: []EffectRule{
		{Hosts: []string{"app.example"}, Methods: []string{"POST"}, Paths: []string{"/api/*/archive"}, Risk: "LOW"},
		{Hosts: []string{"*.test.example"}, Sending: "free"},
		{Paths: []string{"/admin/*"}, Risk: "CRITICAL"},
	}}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]Decision{
		"https://app.example/api/items/5/archive": Allow, "https://app.example/api/items/archive/x": Ask,
		"https://a.test.example/items/5/delete": Allow, "https://other.example/admin/x": Ask,
	} {
		v := p.Effect(Outgoing{Owner: action.Agent, Request: action.Request{Method: "POST", URL: url, Document: "https://app.example/"}, Acts: []Act{{Risk: action.Low}}})
		if v.Decision != want {
			t.Errorf("%s: %s by %s, want %s", url, v.Decision, v.Rule, want)
		}
	}
	for url, want := range map[string]Decision{
		"wss://app.example:443/": Deny, "ws://live.example:80/a": Allow, "wss://live.example:443/": Allow, "wss://a.test.example:443/": Allow, "ws://other.example:80/": Deny,
	} {
		c.Effects = append(c.Effects[:3:3], EffectRule{Hosts: []string{"live.example"}, Methods: []string{"CONNECT"}, Risk: "LOW"})
		p, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		v := p.Effect(Outgoing{Owner: action.Agent, Sending: action.SendNone, Request: action.Request{Method: "CONNECT", URL: url, Kind: action.ChannelKind}})
		if v.Decision != want {
			t.Errorf("a WebSocket of a read-only session to %s: %s by %s, want %s", url, v.Decision, v.Rule, want)
		}
	}
	for _, bad := range []EffectRule{{}, {Risk: "WORSE"}, {Sending: "maybe"}, {Methods: []string{"post"}, Risk: "LOW"}, {Paths: []string{"x"}, Risk: "LOW"}, {Hosts: []string{"a b"}, Risk: "LOW"}} {
		if problems := Check(Config{Effects: []EffectRule{bad}}); len(problems) == 0 {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// An act runs without a question only where the requests that it causes are held and asked about.
func TestActsAreDeferredOnlyWhereTheirRequestsAreHeld(t *testing.T) {
	p, err := New(Config{Enabled: true, AskAt: AskAtWire, Sensitive: []string{"hr.example"}})
	if err != nil {
		t.Fatal(err)
	}
	save, _ := action.Lookup("page.click")
	button := &action.Element{Role: "button", Tag: "button", Name: "Delete entry"}
	form := &action.Element{Role: "button", Tag: "button", Name: "Delete entry", Submits: true, FormMethod: "post", FormAction: "https://app.example/x"}
	link := &action.Element{Role: "link", Tag: "a", Name: "Delete", LinkURL: "https://app.example/items/5/delete"}
	saving := &action.Element{Role: "button", Tag: "button", Name: "Save", Submits: true, FormMethod: "post", FormAction: "https://app.example/x"}
	pay := &action.Element{Role: "button", Tag: "button", Name: "Pay now"}
	at := func(page string, e *action.Element) action.Facts {
		return action.Facts{Page: action.Page{URL: page}, Element: e, Destination: &action.Destination{URL: "https://app.example/items/5/delete", Host: "app.example", Site: "app.example", Allowed: true}}
	}
	open, free := at("https://app.example/", button), at("https://app.example/", button)
	open.Unheld, free.Session.Sending = true, action.SendFree
	for name, c := range map[string]struct {
		facts action.Facts
		wired bool
	}{
		"a button": {at("https://app.example/", button), true}, "a form": {at("https://app.example/", form), true},
		"a link that acts": {at("https://app.example/", link), true}, "a form that saves": {at("https://app.example/", saving), true}, "paying": {at("https://app.example/", pay), true},
		"a sensitive host": {at("https://hr.example/", button), false}, "an open channel": {open, false}, "requests that nobody judges": {free, false},
	} {
		v := p.Decide(action.Call{Verb: save.Name, Args: &action.Click{}, Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}}, save, c.facts)
		if v.Deferred != c.wired || (v.Decision == Ask) == c.wired {
			t.Errorf("%s: %s, at the wire %t by %s", name, v.Decision, v.Deferred, v.Rule)
		}
	}
}
