package client_test

import (
	"context"
	"encoding/pem"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

func TestAGatewayOverTLSMustProveItself(t *testing.T) {
	d := callFunc(func(context.Context, action.Call) (action.Result, error) { return action.Result{Session: "s1"}, nil })
	h, err := rest.New(rest.Options{Gate: d, Auth: tokens{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	known, err := client.New(server.URL, "good", authority)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(known.Close)
	if result, err := known.Call(t.Context(), action.Call{Verb: "page.back"}); err != nil || result.Session != "s1" {
		t.Errorf("%+v %v", result, err)
	}
	f := fault.From(connect(t, server.URL, "good").Health(t.Context()))
	if f.Code != fault.NotActive || !strings.Contains(f.Hint, "--ca") {
		t.Errorf("an unknown gateway: %+v", f)
	}
	if _, err := client.New(server.URL, "good", []byte("no certificate")); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("no certificate: %v", err)
	}
}
