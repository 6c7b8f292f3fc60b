package policy

import (
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestTemplatesAreFilesAndNotActs(t *testing.T) {
	p := trusting(t)
	risk := func(method, kind, address string) action.Risk {
		return p.Effect(Outgoing{Request: action.Request{Method: method, Kind: kind, URL: siteURL + address, Document: siteURL + "/", Origin: siteURL}}).Own
	}
	for _, address := range []string{"/templates/publish.ejs", "/js/tmpl/publish.ejs?0.4711", "/templates/publish.ejs?_=1764112345678", "/templates/publish.ejs?v=1.2.3", "/views/delete.html", "/static/views/delete.hbs", "/app/partials/send-message.mustache", "/views/cancel.component.html", "/assets/templates/remove.tpl"} {
		for _, kind := range []string{"XHR", "Fetch"} {
			if got := risk(http.MethodGet, kind, address); got != action.Low {
				t.Errorf("%s %s is %s", kind, address, got)
			}
		}
		if got := risk(http.MethodPost, "XHR", address); got < action.Medium {
			t.Errorf("a POST to %s is %s", address, got)
		}
	}
	for _, address := range []string{"/items/5/delete.ejs", "/items/5/delete.html", "/users/a1b2c3d4e5/remove.html", "/templates/5/publish.ejs", "/templates/publish.ejs?id=5", "/templates/publish.ejs?5", "/templates/publish.ejs?_=5", "/templates/publish.ejs?v=1.2&id=5", "/templates/delete.php/publish.ejs", "/items/a1b2c3d4e5/templates/delete.ejs"} {
		if got := risk(http.MethodGet, "XHR", address); got < action.High {
			t.Errorf("%s is %s", address, got)
		}
	}
	for _, address := range []string{"/docs/16/sql-delete.html", "/news/2025/delete.html", "/manual/delete.html", "/posts/5/how-to-delete.html"} {
		if got := risk(http.MethodGet, "Document", address); got != action.Low {
			t.Errorf("%s is %s", address, got)
		}
	}
	for _, address := range []string{"/items/5/delete.html", "/items/delete.html"} {
		if got := risk(http.MethodPost, "Document", address); got < action.High {
			t.Errorf("a POST to %s is %s", address, got)
		}
	}
	if got := risk(http.MethodGet, "Image", "/items/5/delete.png"); got < action.High {
		t.Errorf("a picture below a thing is %s", got)
	}
}
