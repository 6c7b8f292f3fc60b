package audit_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Of the records without a scope, every scope sees only those of configurations.
func TestEveryScopeSeesRecordsOfLoadedConfigurations(t *testing.T) {
	l := openLog(t, openStore(t))
	l.Record(action.Record{EventType: action.EventConfig, Detail: "reloaded"})
	l.Record(action.Record{EventType: action.EventBox, Detail: "of nobody"})
	l.Record(action.Record{EventType: action.EventConfig, Scope: "other", Detail: "of another"})
	page, err := l.Query(t.Context(), action.AuditQuery{}, "acme")
	if err != nil || len(page.Records) != 1 || page.Records[0].Detail != "reloaded" {
		t.Errorf("%v %+v", err, page.Records)
	}
}
