package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// FuzzDecode decodes arbitrary bytes for every verb. Accepted input must be
// JSON that Check can check; a refusal must be the caller's fault, with a hint.
func FuzzDecode(f *testing.F) {
	for i, seed := range []string{
		"", "{}", `{"url":"https://a.example/"}`, `{"ref":"e1","index":0}`, `{"cookies":[{"name":"a","value":"1"}]}`, `{"selectors":{"a":"h1"}}`,
		`{"text":"\ud800"}`, `{"text":"a","TEXT":"b"}`, `{"timeout":1e999}`, "{\"a\":\"\xff\"}", strings.Repeat("[", 300), `{"values":[null]}`, `null`,
	} {
		f.Add(byte(i), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, which byte, raw []byte) {
		v := action.Verbs[int(which)%len(action.Verbs)]
		args := v.NewArgs()
		err := action.Decode(raw, args)
		if err == nil {
			if len(strings.TrimSpace(string(raw))) > 0 && !json.Valid(raw) {
				t.Errorf("%s took what is no JSON: %q", v.Name, raw)
			}
			err = action.Check(args)
		}
		if err == nil {
			return
		}
		got := fault.From(err)
		if got.Code.Info().Status != 400 || got.Hint == "" || len(got.Message) > 200 {
			t.Errorf("%s refused %q with %s %q, hint %q", v.Name, raw, got.Code, got.Message, got.Hint)
		}
	})
}
