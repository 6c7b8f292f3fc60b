package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

const canary = "k7Qp2mXv9RtLw4Zs8NbY3cDf"

type inner struct {
	Text    string
	Notes   []string
	Details map[string]any
	Raw     json.RawMessage
	At      time.Time
	Any     any
}

type outer struct {
	Data any
	In   *inner
	Same *inner
	Ways [2]string
	Body []byte
}

func TestValueReturnsACopyWithoutSecrets(t *testing.T) {
	m := redact.New(credentials.Keep(canary), credentials.Keep("48151623"))
	in := &inner{
		Text: "t " + canary, Notes: []string{"fine", canary}, Details: map[string]any{canary: 1, "deep": []any{map[string]any{"x": canary}}, "n": 48151623.0},
		Raw: json.RawMessage(`{"a":"` + canary + `","n":48151623}`), At: time.Unix(1, 0), Any: map[string]string{"k": canary},
	}
	v := outer{Data: in, In: in, Same: nil, Ways: [2]string{canary, "b"}, Body: []byte("body " + canary)}
	before, _ := json.Marshal(v)
	got, err := redact.Value(m, v)
	if err != nil {
		t.Fatal(err)
	}
	after, _ := json.Marshal(v)
	if !bytes.Equal(before, after) {
		t.Error("the value itself was changed")
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), canary) || strings.Contains(string(text), "48151623") || string(got.Body) != "body [redacted]" {
		t.Errorf("a secret is left: %s", text)
	}
	if got.In.At != in.At || got.In.Notes[0] != "fine" || got.Data.(*inner).Raw == nil {
		t.Errorf("something else was changed: %s", text)
	}
}

func TestValueReturnsAValueWithoutSecretsUnchanged(t *testing.T) {
	v := &outer{In: &inner{Text: "nothing here", Details: map[string]any{"a": []any{1.5, nil, true}}}}
	for _, m := range []*redact.Matcher{nil, redact.New(), redact.New(credentials.Keep(canary))} {
		if got, err := redact.Value(m, v); err != nil || got != v {
			t.Errorf("got %p %v, want %p", got, err, v)
		}
	}
	if got, err := redact.Value[any](redact.New(credentials.Keep(canary)), nil); got != nil || err != nil {
		t.Errorf("nothing became %v, %v", got, err)
	}
}

func TestASecretSplitBetweenTwoFieldsIsFound(t *testing.T) {
	m := redact.New(credentials.Keep("abc123defg"))
	got, err := redact.Value(m, []string{"abc12", "3defg", "fine"})
	if err != nil || !reflect.DeepEqual(got, []string{"[redacted]", "[redacted]", "fine"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAValueThatCannotBeSearchedIsAnError(t *testing.T) {
	m := redact.New(credentials.Keep(canary))
	ring := map[string]any{}
	ring["ring"] = ring
	for name, v := range map[string]any{
		"a ring":                  ring,
		"a picture with a secret": []byte("\x89PNG\xff\xfe" + canary),
	} {
		if got, err := redact.Value(m, v); !errors.Is(err, redact.ErrFailed) || got != nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestJSONStaysJSON(t *testing.T) {
	m := redact.New(credentials.Keep(canary), credentials.Keep("4815162342"), credentials.Keep("n5pace9Qw1"), credentials.Keep("x9mZtrue7Kq2"))
	for text, want := range map[string]string{
		`{"a":"` + canary + `","b":4815162342}`:  `{"a":"[redacted]","b":1}`,
		`[48151,62342]`:                          `[1,1]`,
		`[4815162342e1,-0.4815162342,true]`:      `[1,1,true]`,
		`{"` + canary + `":"x\"` + canary + `"}`: `{"[redacted]":"x\"[redacted]"}`,
		`["<b>x9mZ</b>",true,"<i>7Kq2</i>"]`:     `["<b>[redacted]</b>",true,"<i>[redacted]</i>"]`,
		`{"a":1}`:                                `{"a":1}`,
	} {
		if got := string(m.JSON([]byte(text))); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	coded := base64.RawStdEncoding.EncodeToString([]byte("%41" + url.QueryEscape(canary+"&"+canary)))
	for _, text := range []string{
		`{"a":"\n5pace9Qw1"}`, `{"a":"x\u006e5pace9Qw1"}`, `{"a":"\\n5pace9Qw1","b":2}`, `{"a":"1\u0026` + coded + `\u0026x=1","b":[3]}`,
		`{"a":"\u0026` + base64.RawStdEncoding.EncodeToString([]byte("x"+canary)) + `\u003d\u003d"}`, `{"a":"\\\u0026` + canary + `\\"}`,
	} {
		got := m.JSON([]byte(text))
		if !json.Valid(got) || len(got) == len(redact.Mark)+2 || m.Has(got) {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// The secret begins, or ends, with a letter that is also the letter of an escape.
func TestAnEscapeOfJSONIsNeverCutInHalf(t *testing.T) {
	const secret = "nQ7Zk2XvB9mLw4RtY8nPc3Hd5u"
	m := redact.New(credentials.Keep(secret))
	for _, text := range []string{
		`{"id":7,"a":"x\nQ7Zk2XvB9mLw4RtY8nPc3Hd5u"}`, `{"id":7,"a":"x\\nQ7Zk2XvB9mLw4RtY8nPc3Hd5u\\"}`,
		`{"id":7,"a":"nQ7Zk2XvB9mLw4RtY8nPc3Hd5\u00fc"}`, `{"id":7,"a":"x\u000nQ7Zk2XvB9mLw4RtY8nPc3Hd5u"}`,
		`{"id":7,"a":"x\u006eQ7Zk2XvB9mLw4RtY8nPc3Hd5\u0075x"}`, `{"id":7,"a":"=\r\nQ7Zk2XvB9mLw=\r\n4RtY8nPc3Hd5u=\r\n"}`,
		`{"id":7,"a":"\\\nQ7Zk2XvB9mLw4RtY8nPc3Hd5u","b":"\nQ7Zk2XvB9mLw4RtY8nPc3Hd5u\""}`,
	} {
		clean := m.JSON([]byte(text))
		if strings.Contains(string(clean), "Zk2XvB9m") {
			t.Errorf("%s became %s", text, clean)
		}
		if json.Valid([]byte(text)) && (!json.Valid(clean) || !strings.HasPrefix(string(clean), `{"id":7,"a":"`)) {
			t.Errorf("%s became %s", text, clean)
		}
	}
}
