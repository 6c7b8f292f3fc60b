package rest

import (
	"html/template"
	"net/http"
)

// questionPath is the path of the page that people open when a question waits.
const questionPath = "/approvals/"

// questionPage shows where a question is answered. It is served without a
// token. Therefore it shows neither the question nor whether it exists.
var questionPage = template.Must(template.New("question").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A question waits: Glovebox</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}pre{background:#f3f3f3;color:#111;padding:.7rem;overflow-x:auto}</style>
<h1>A question waits for an operator</h1>
<p>An agent wants to do something that a person must allow. This page neither shows the question nor answers it:
that takes an operator's token, which the agent does not have. In a terminal of the gateway's machine:</p>
<pre>glovebox approvals show {{.}}
glovebox approvals approve {{.}} --reason '…'
glovebox approvals deny {{.}}</pre>
<p><code>glovebox approvals watch</code> lists all that wait, with the time each has left: silence denies.
Over REST it is <code>GET /v1/approvals/{{.}}</code> and <code>POST /v1/approvals/{{.}}/answer</code>.</p>
</html>
`))

func explainQuestion(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !plainToken.MatchString(id) {
		refuse(w, r, http.StatusNotFound, noRoute())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = questionPage.Execute(w, id)
}

// withFullURL makes the URL of a request absolute, as the caller sees it.
func withFullURL(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := *r.URL
		whole.Scheme, whole.Host = scheme(r, "http", "https"), r.Host
		other := *r
		other.URL = &whole
		next.ServeHTTP(w, &other)
	})
}
