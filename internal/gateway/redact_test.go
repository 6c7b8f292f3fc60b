package gateway

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// TestRecordsAndLogContainNoSecretsOfSessions checks that secrets that sessions
// learn are redacted in all records and log lines, although trail and logger are
// made before any session.
func TestRecordsAndLogContainNoSecretsOfSessions(t *testing.T) {
	const secret = "k7Qp2mXv9RtLw4Zs8NbY3cDf"
	c := config.Default()
	c.Server.StateDir = t.TempDir()
	var lines bytes.Buffer
	h := &Gateway{config: c}
	h.logTo(slog.New(slog.NewTextHandler(&lines, nil)))
	db, err := store.Open(t.Context(), filepath.Join(c.Server.StateDir, storeFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	trail, err := h.openTrail(t.Context(), c, db, h.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	h.secrets.Learn("s1", credentials.Keep(secret))
	h.Log.Info("went to "+secret, "url", "https://x.example/"+secret)
	trail.Record(action.Record{EventType: "blocked", Scope: "acme", TargetURL: "https://x.example/" + secret, Detail: secret})
	page, err := trail.Query(t.Context(), action.AuditQuery{Limit: 10}, "acme")
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("%d records, %v", len(page.Records), err)
	}
	if r := page.Records[0]; strings.Contains(r.TargetURL+r.Detail, secret) || !strings.Contains(lines.String(), "went to [redacted]") || strings.Contains(lines.String(), secret) {
		t.Errorf("recorded %+v, logged %s", r, lines.String())
	}
}
