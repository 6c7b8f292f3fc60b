package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// spelled are addresses that delete something on servers which interpret them
// liberally. They are used for images, which are not held because of their type.
var spelled = []string{
	"/items/ID/DELETE", "/items/ID/DeLeTe", "/items/ID/dElEtE", "/ReMoVe/ID", "/items/ID/d%65lete", "/items/ID/%64%65%6c%65%74%65", "/items/ID/D%45LETE", "/items/ID/delete.json", "/items/ID/delete/",
	"/items/ID/delete?x=1", "/items/ID;x=1/delete", "/items/ID/delete;x", "/delete.php?id=ID", "/delete.php/x?id=ID", "/Delete.aspx?id=ID", "/item.php?delete=ID", "/item.php?a=delete&id=ID",
	"/?cmd=DELETE&id=ID", "/?q=/items/ID/delete", "/index.php?r=items/delete&id=ID", "/items/ID?_method=DELETE", "/items/ID/l%C3%B6schen", "/loeschen?id=ID", "/supprimer/ID", "/eliminar/ID", "/admin/docs/delete/ID",
	"/graphql?query=mutation%7BdeleteItem(id:ID)%7Bid%7D%7D", "/graphql?query=mutation+M{deleteItem(id:ID){id}}", "/api?json={%22action%22:%22delete%22,%22id%22:ID}", "/jsonrpc?method=item.delete&id=ID",
	"/account/ID?password_new=x&password_conf=x&Change=Change", "/setpassword?user=ID&password=x", "/password.cgi?user=ID&inPassword=x", "/transfer?to=x&amount=900&ref=ID", "/send?to=x&text=ID", "/refund/ID?amount=9",
}

// bodies are requests that do harm on such servers: method, address, type, body,
// and headers.
var bodies = [][5]string{
	// addresses that look like a search, a check or a measurement
	{"POST", "/orders;search?ref=ID"}, {"POST", "/transfer.php/search", "form", "amount=900&to=x&ref=ID"}, {"POST", "/orders%2fsearch%2f..", "form", "ref=ID"}, {"POST", "/orders;a=search", "form", "ref=ID"}, {"GET", "/items/ID/DeLeTe"}, {"GET", "/items/ID/dELETE"},
	{"POST", "/items/ID/delete/collect"}, {"POST", "/delete.php/collect", "form", "id=ID"}, {"POST", "/metrics", "form", "_method=delete&id=ID"}, {"POST", "/tracking", "form", "action=delete&id=ID"}, {"POST", "/users/ID/heartbeat", "form", "_method=delete"},
	{"POST", "/list/members", "form", "user=ID"}, {"POST", "/draft/orders", "form", "item=ID"}, {"POST", "/cart/check-out", "form", "cart=ID"}, {"POST", "/cart/checkOut", "form", "cart=ID"}, {"POST", "/review/messages", "form", "text=ID"}, {"POST", "/drafts/ID/send"}, {"POST", "/drafts/ID", "form", "send=1"},
	// fields that claim a search, next to the real action
	{"POST", "/transfer", "form", "action=search&ref=ID"}, {"POST", "/orders", "form", "op=search&ref=ID"}, {"POST", "/orders", "form", "action=view&amount=4&to=x&ref=ID"}, {"POST", "/items/ID/delete", "form", "query=query{a}"}, {"POST", "/transfer", "form", "query={a}&amount=9&to=x&ref=ID"},
	{"POST", "/x", "form", "action=delete&query={a}&id=ID"}, {"DELETE", "/items/ID", "json", `{"query":"{a}"}`}, {"POST", "/orders", "json", `{"query":"query{a}","ref":ID}`}, {"POST", "/items/ID/delete", "json", `{"query":"{a}"}`}, {"POST", "/items/ID/delete", "form", "action=search"}, {"POST", "/items/ID/delete", "form", "=query{a}"},
	// method overrides
	{"POST", "/items/ID", "", "", "X-HTTP-Method-Override: DELETE"}, {"POST", "/items/ID", "", "", "X-HTTP-Method: DELETE"}, {"POST", "/items/ID", "", "", "X-Method-Override: delete"}, {"POST", "/items/ID?_method=DELETE"}, {"POST", "/items/ID?X-HTTP-Method-Override=DELETE"}, {"PUT", "/items/ID", "form", "_method=delete"}, {"POST", "/search/ID", "", "", "X-HTTP-Method-Override: DELETE"}, {"POST", "/items/ID", "json", `{"_method":"DELETE"}`},
	// calls in the body
	{"POST", "/rpc", "json", `{"jsonrpc":"2.0","method":"item.delete","params":[ID]}`}, {"POST", "/rpc", "json", `[{"jsonrpc":"2.0","method":"item.delete","params":[ID]}]`}, {"POST", "/rpc", "text", `{"method":"delete","id":ID}`},
	{"POST", "/", "xml", "<methodCall><methodName>item.delete</methodName><params><int>ID</int></params></methodCall>"}, {"POST", "/soap", "xml", "<s:Envelope><s:Body><DeleteItem><id>ID</id></DeleteItem></s:Body></s:Envelope>"}, {"POST", "/soap", "text", "<Envelope><Body><RemoveUser><id>ID</id></RemoveUser></Body></Envelope>"}, {"POST", "/soap", "xml", "<e>ID deletion</e>", "SOAPAction: urn:shop#DeleteItem"},
	{"POST", "/x", "form", "ACTION=delete&id=ID"}, {"POST", "/x", "form", "action[]=delete&id=ID"}, {"POST", "/x", "form", "data[action]=delete&id=ID"}, {"POST", "/x", "form", "action[0]=delete&id=ID"}, {"POST", "/x", "form", "actionType=DELETE_ITEM&id=ID"}, {"POST", "/x", "json", `{"type":"DELETE_ITEM","id":ID}`}, {"POST", "/x", "json", `{"event":"item.delete","id":ID}`}, {"POST", "/x", "form", "verb=delete&id=ID"},
	{"POST", "/x", "json", `{"requests":[{"method":"DELETE","path":"/items/ID"}]}`}, {"POST", "/batch", "json", `{"operations":[{"httpMethod":"DELETE","url":"/items/ID"}]}`},
	{"POST", "/x", "form", "btnDelete=1&id=ID"}, {"POST", "/x", "form", "submit=Delete&id=ID"}, {"POST", "/x", "form", "commit=Delete&id=ID"}, {"POST", "/x", "form", "button=delete&id=ID"}, {"POST", "/x", "form", "__EVENTTARGET=ctl00%24btnDelete&id=ID"}, {"POST", "/x", "form", "javax.faces.source=form:deleteButton&id=ID"}, {"POST", "/x", "form", "form:deleteButton=form:deleteButton&id=ID"}, {"POST", "/x?handler=Delete&id=ID"}, {"POST", "/x?/delete&id=ID"},
	{"POST", "/x", "parts", "action=delete&id=ID"}, {"POST", "/x", "parts", "_method=delete&id=ID"}, {"POST", "/x", "utf16", `{"method":"delete","id":ID}`}, {"POST", "/x", "bom", `{"method":"delete","id":ID}`}, {"POST", "/x", "blob", `{"method":"delete","id":ID}`}, {"POST", "/x", "blobform", "action=delete&id=ID"}, {"POST", "/x", "beacon", "action=delete&id=ID"}, {"POST", "/x", "bytes", `{"method":"delete","id":ID}`},
	{"POST", "/x", "form", strings.Repeat("a=1&", 300) + "action=delete&id=ID"}, {"POST", "/x", "form", "action=" + strings.Repeat("+", 600) + "delete&id=ID"}, {"POST", "/x", "form", "id=ID&" + strings.Repeat("a=1&", 5000) + "action=delete"}, {"POST", "/x", "json", `{"id":ID,"p":[` + strings.Repeat("1,", 600) + `1],"action":"delete"}`}, {"POST", "/x", "json", strings.Repeat(`{"a":`, 20) + `{"action":"delete","id":ID}` + strings.Repeat("}", 20)}, {"POST", "/x", "form", "id=ID&p=" + strings.Repeat("x", 1100000) + "&action=delete"},
	// forms of bodies that servers read
	{"POST", "/x", "json", "{\"id\":1}\n{\"action\":\"delete\",\"id\":ID}\n"}, {"POST", "/x", "text", `{"id":1}{"action":"delete","id":ID}`}, {"POST", "/x", "json", `{/* a */"action":"delete", // b` + "\n" + `"id":ID}`}, {"POST", "/x", "json", `{'action':'delete','id':ID}`}, {"POST", "/x", "text", `{action:"delete",id:ID}`}, {"POST", "/x", "json", `{"action":"delete","action":"view","id":ID}`},
	{"POST", "/x", "gzip", `{"action":"delete","id":ID}`}, {"POST", "/x", "jsonpart", `{"action":"delete","id":ID}`}, {"POST", "/x", "base64", `{"action":"delete","id":ID}`}, {"POST", "/x", "json", `{"data":"{\"in\":\"{\\\"action\\\":\\\"delete\\\",\\\"id\\\":ID}\"}"}`}, {"POST", "/x", "form", "data=%257B%2522action%2522%253A%2522delete%2522%257D&id=ID"}, {"POST", "/x", "form", "id=ID;action=delete"}, {"POST", "/x", "text", `42["deleteItem",ID]`}, {"POST", "/x", "text", `["{\"action\":\"delete\",\"id\":ID}"]`},
	{"POST", "/$batch", "batch", "--b\r\nContent-Type: application/http\r\n\r\nDELETE Items(ID) HTTP/1.1\r\n\r\n--b--\r\n"}, {"POST", "/$batch", "batch", "--b\r\nContent-Type: application/http\r\n\r\nPOST /items/ID/delete HTTP/1.1\r\n\r\n--b--\r\n"},
	{"PURGE", "/items/ID"}, {"UNLINK", "/items/ID"}, {"MOVE", "/items/ID"}, {"purge", "/items/ID"}, {"delete", "/items/ID"},
	{"POST", "/", "xml", "<methodCall><methodName>item.del<!-- -->ete</methodName><params><int>ID</int></params></methodCall>"}, {"POST", "/", "xml", "<methodCall><methodName><![CDATA[item.delete]]></methodName><params><int>ID</int></params></methodCall>"},
	// dangerous changes
	{"PATCH", "/items/ID", "json", `{"deleted":true,"x":"delete"}`}, {"PATCH", "/users/ID", "form", "role=admin"}, {"POST", "/account", "form", "new_password=x&confirm_password=x&id=ID"}, {"POST", "/account", "json", `{"id":ID,"password":"x","password_confirmation":"x"}`}, {"POST", "/account/password", "form", "password=x&id=ID"}, {"PUT", "/users/ID/password", "json", `{"value":"x"}`},
	// GraphQL
	{"POST", "/graphql", "json", `{"query":"mutation{a:deleteItem(id:ID){id}}"}`}, {"POST", "/graphql", "json", `{"operationName":"M","query":"query Q{a} mutation M{deleteItem(id:ID)}"}`}, {"POST", "/graphql", "json", `{"query":"fragment F on X {a} mutation M{deleteItem(id:ID)}"}`}, {"POST", "/graphql", "json", `{"query":",,, mutation{deleteItem(id:ID)}"}`}, {"POST", "/graphql", "json", `{"query":"\ufeffmutation{deleteItem(id:ID)}"}`}, {"POST", "/graphql", "json", `[{"query":"query{a}"},{"query":"mutation M{deleteItem(id:ID)}"}]`},
	{"POST", "/graphql", "json", `{"query":"mutation # x\n M # (\n {deleteItem(id:ID)}"}`}, {"POST", "/graphql", "json", `{"query":"mutation{d:removeItem(id:ID)}","operationName":"Search"}`}, {"POST", "/graphql", "json", `{"operationName":"DeleteItem","variables":{"id":ID}}`}, {"POST", "/api/gql", "json", `{"operationName":"DeleteItem","variables":{"id":ID}}`}, {"POST", "/graphql/search", "json", `{"operationName":"DeleteItem","variables":{"id":ID}}`}, {"POST", "/graphql", "json", `{"query":"# query\nmutation{deleteItem(id:ID)}"}`}, {"POST", "/graphql", "graphql", `mutation{deleteItem(id:ID)}`}, {"POST", "/graphql?query=mutation{deleteItem(id:ID)}", "json", `{}`}, {"POST", "/graphql", "parts", `operations={"query":"mutation{deleteItem(id:ID)}"}`}, {"POST", "/graphql", "json", `{"query":"{a}","extensions":{},"query":"mutation{deleteItem(id:ID)}"}`}, {"POST", "/search", "json", `{"query":"mutation{deleteItem(id:ID)}"}`},
}

// fetching returns the script that sends a request.
func fetching(c [5]string) string {
	kinds := map[string]string{"form": "application/x-www-form-urlencoded", "json": "application/json", "xml": "text/xml", "text": "text/plain", "graphql": "application/graphql", "blob": "application/json", "blobform": "application/x-www-form-urlencoded", "utf16": "application/json; charset=utf-16", "bom": "application/json", "bytes": "application/octet-stream", "gzip": "application/json", "base64": "application/json", "batch": "multipart/mixed; boundary=b"}
	said := fmt.Sprintf("%q", c[3])
	if len(c[3]) > 100000 { // too long for a literal
		said = `"id=ID&p=" + "x".repeat(1100000) + "&action=delete"`
	}
	body := said
	switch c[2] {
	case "":
		body = "undefined"
	case "parts":
		body = "(f => { for (const [n, v] of [" + said + "].map(t => [t.slice(0, t.indexOf('=')), t.slice(t.indexOf('=') + 1)])) f.append(n, v.split('&')[0]); f.append('id', 'ID'); return f })(new FormData)"
	case "utf16":
		body = "new Uint8Array(new Uint16Array([0xfeff, ...[..." + said + "].map(c => c.charCodeAt(0))]).buffer)"
	case "bom":
		body = "'\\ufeff' + " + said
	case "blob", "blobform":
		body = "new Blob([" + said + "])"
	case "bytes":
		body = "new TextEncoder().encode(" + said + ")"
	case "jsonpart":
		body = "(f => (f.append('data', new Blob([" + said + "], {type: 'application/json'})), f))(new FormData)"
	case "base64":
		body = "JSON.stringify({data: btoa(" + said + "), id: 'ID'})"
	case "gzip":
		body = "await new Response(new Blob([" + said + "]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()"
	case "beacon":
		return fmt.Sprintf("navigator.sendBeacon(%q, new Blob([%s], {type: 'application/x-www-form-urlencoded'}))", c[1], said)
	}
	var more []string
	if kind := kinds[c[2]]; kind != "" {
		more = append(more, fmt.Sprintf("'Content-Type': %q", kind))
	}
	if name, value, found := strings.Cut(c[4], ": "); found {
		more = append(more, fmt.Sprintf("%q: %q", name, value))
	}
	return fmt.Sprintf("(async () => fetch(%q, {method: %q, headers: {%s}, body: %s}))()", c[1], c[0], strings.Join(more, ", "), body)
}

// TestEverySpellingOfAHarmfulRequestIsAskedAbout sends these requests from a page
// of the same host without a call.
func TestEverySpellingOfAHarmfulRequestIsAskedAbout(t *testing.T) {
	var tries []try
	for _, address := range spelled {
		tries = append(tries, try{name: "image " + address, host: shopHost, body: `<img src="` + address + `">`})
	}
	for _, c := range bodies {
		name := strings.Join(c[:], " ")
		tries = append(tries, try{name: name[:min(len(name), 100)], host: shopHost, body: "<script>" + fetching(c) + "</script>"})
	}
	attempt(t, tries, setting{trusted: true, at: policy.AskAtWire})
}

// TestAQuestionShowsTheSignificantFields checks that a page cannot hide the
// significant fields of a request behind others.
func TestAQuestionShowsTheSignificantFields(t *testing.T) {
	f := newAttackRig(t, setting{trusted: true, at: policy.AskAtWire}, false)
	body := strings.Repeat("note=hello&", 40) + "amount=900&to=x&ref=ID&action=transfer"
	f.make(&try{name: "many fields", host: shopHost, body: "<script>" + fetching([5]string{"POST", "/x", "form", body}) + "</script>"}, numberOf(1))
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asked) != 1 || f.asked[0].Request == nil {
		t.Fatalf("asked %+v", f.asked)
	}
	shown := fmt.Sprint(f.asked[0].Request.Fields)
	for _, want := range []string{"{amount 900}", "{to x}", "{action transfer}"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in %s", want, shown)
		}
	}
}
