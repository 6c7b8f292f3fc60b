package engine_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func framed(t *testing.T) *trial {
	t.Helper()
	tr := start(t)
	mux := http.NewServeMux()
	var other string
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(strings.ReplaceAll(fixture(t, "frames"), "ELSEWHERE", other)))
	})
	mux.HandleFunc("/frame", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<button onclick="this.textContent='pressed elsewhere'">Elsewhere</button><p id=h></p><script>h.attachShadow({mode:'closed'}).innerHTML='<button onclick="this.textContent=\'pressed deep\'">Deep</button>'</script>`))
	})
	s := listen(t, mux)
	other = elsewhere(s)
	tr.must("page.goto", &action.Goto{URL: s.URL})
	return tr
}

func TestFramesOfEveryKindAreShown(t *testing.T) {
	tr := framed(t)
	text := tr.snap()
	for _, want := range []string{"In srcdoc", "In srcdoc of srcdoc", "Without scripts", "Mute", "Of no origin", "Elsewhere", "Deep", "In empty", "In written", "In data"} {
		if !strings.Contains(text, `"`+want+`"`) {
			t.Errorf("%q is not in the snapshot:\n%s", want, text)
		}
	}
}

func TestFramesOfEveryKindAreActedIn(t *testing.T) {
	tr := framed(t)
	for title, name := range map[string]string{"1": "In srcdoc", "2": "In srcdoc of srcdoc", "3": "In empty", "4": "In written"} {
		tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: name}})
		tr.wantTitle(title)
	}
	for name, becomes := range map[string]string{"Of no origin": "null", "Elsewhere": "pressed elsewhere", "Deep": "pressed deep", "In data": "pressed"} {
		tr.click(named("button", name))
		if text := tr.snap(); !strings.Contains(text, `button "`+becomes+`"`) {
			t.Errorf("%s was not pressed:\n%s", name, text)
		}
	}
	tr.click(named("checkbox", "Without scripts"))
	tr.must("page.type", &action.Type{Locator: named("textbox", "Mute"), Input: "said"})
	if text := tr.snap(); !strings.Contains(text, "] checked") || !strings.Contains(text, `value="said"`) {
		t.Errorf("the frame without scripts was not acted in:\n%s", text)
	}
}
