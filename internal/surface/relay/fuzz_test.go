package relay

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzLines checks that the gateway can read every line that the relay passes on,
// and with the same id: one that it cannot read would end the connection.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"m"}}`,
		`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"JSONRPC":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":7}`, `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"Method":"a","method":"ping"}`, "{}", "[[]]", "null",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if line = bytes.TrimSpace(line); len(line) == 0 || bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		all, wrong := parse(line)
		if wrong != nil {
			return
		}
		parts := []json.RawMessage{line}
		if line[0] == '[' {
			if err := json.Unmarshal(line, &parts); err != nil {
				t.Fatal(err)
			}
		}
		if len(parts) != len(all) {
			t.Fatalf("%d messages of %d", len(all), len(parts))
		}
		for i, part := range parts {
			m, err := jsonrpc.DecodeMessage(part)
			if err != nil {
				t.Fatalf("the gateway cannot read %s: %v", part, err)
			}
			var id any
			switch m := m.(type) {
			case *jsonrpc.Request:
				if id = m.ID.Raw(); m.Method != all[i].method {
					t.Errorf("%s: method %q, not %q", part, m.Method, all[i].method)
				}
			case *jsonrpc.Response:
				id = m.ID.Raw()
			}
			text, err := json.Marshal(id)
			if err != nil {
				t.Fatal(err)
			}
			if id != nil && key(text) != key(all[i].id) || id == nil && all[i].id != nil {
				t.Errorf("%s: id %s, not %s", part, text, all[i].id)
			}
		}
	})
}
