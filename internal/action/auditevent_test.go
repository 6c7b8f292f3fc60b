package action_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestTheFilterListsEveryKindOfRecord(t *testing.T) {
	field, _ := reflect.TypeFor[action.AuditFilter]().FieldByName("Event")
	if want := "Kind of record: " + strings.Join(action.AuditEvents, ", "); field.Tag.Get("doc") != want {
		t.Errorf("the filter's documentation is %q, want %q", field.Tag.Get("doc"), want)
	}
}
