package rest

// docsText is the page at /docs, made from the table of verbs.
const docsText = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Glovebox over HTTP</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
code { font: 0.9em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8884; }
h2 { margin-top: 2rem; }
</style>
<h1>Glovebox over HTTP</h1>
<p>Every call carries <code>Authorization: Bearer</code> with a token. Routes below <code>/v1/browser</code> act on the session named
by the header <code>Glovebox-Session</code> or by <code>?session=</code>, and exist below <code>/v1/sessions/{session}</code> too.
Faults are <code>application/problem+json</code>. The machine-readable description is <a href="/openapi.json"><code>/openapi.json</code></a>.</p>
{{range .}}<h2 id="{{.Name}}">{{.Summary}}</h2>
<p><code>{{.Method}} /v1{{.Path}}</code> · verb <code>{{.Name}}</code> · class {{.Class}}{{if .Tool}} · MCP tool <code>{{.Tool}}</code>{{end}}</p>
{{with fields .}}<table><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr>
{{range .}}<tr><td><code>{{.Name}}</code>{{if .Required}} (required){{end}}</td><td>{{.Type}}</td><td>{{doc .}}</td></tr>
{{end}}</table>
{{end}}{{end}}</html>
`
