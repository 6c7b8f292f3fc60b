package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// roleTokens takes the name of a role as its token.
type roleTokens struct{}

func (roleTokens) Identify(_ context.Context, token string) (auth.Identity, error) {
	return auth.Identity{Caller: action.Caller{Actor: "a-" + token, Scope: "default", Role: action.Role(token)}}, nil
}

// replayed is a session with records of each kind, behind a REST surface.
type replayed struct {
	*testing.T
	url, session string
}

func openReplayed(t *testing.T) *replayed {
	t.Helper()
	agents := openManyAgents(t, limits(5, 5))
	agents.click = func(context.Context, string) error { return nil }
	surface := try(rest.New(rest.Options{Gate: agents, Auth: roleTokens{}, Log: slog.New(slog.DiscardHandler)}))(t)
	server := httptest.NewServer(surface)
	t.Cleanup(func() {
		surface.Close()
		server.Close()
	})
	r := &replayed{T: t, url: server.URL}
	var started action.Session
	r.into(&started, http.StatusOK, "agent", "POST", "/v1/sessions", `{}`)
	r.session = started.ID
	at := "/v1/sessions/" + r.session + "/browser/"
	r.request("agent", "POST", at+"type", `{"selector": "input", "text": "chairs"}`)
	r.request("agent", "GET", at+"screenshot", "")
	r.request("agent", "POST", at+"navigate", `{"url": "https://elsewhere.example/"}`)
	r.request("agent", "POST", at+"click", `{"ref": "e7"}`)
	var questions action.QuestionListing
	r.into(&questions, http.StatusOK, "operator", "GET", "/v1/approvals", "")
	if len(questions.Questions) != 1 {
		t.Fatalf("%+v", questions)
	}
	r.request("operator", "POST", "/v1/approvals/"+questions.Questions[0].ID+"/answer", `{"approve": false, "reason": "<b>not today</b>"}`)
	return r
}

func (r *replayed) request(role, method, path, body string) (int, []byte) {
	r.Helper()
	req := try(http.NewRequestWithContext(r.Context(), method, r.url+path, strings.NewReader(body)))(r.T)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Prefer", "wait=0")
	req.Header.Set("Authorization", "Bearer "+role)
	res := try(http.DefaultClient.Do(req))(r.T)
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode, try(io.ReadAll(res.Body))(r.T)
}

func (r *replayed) into(v any, want int, role, method, path, body string) {
	r.Helper()
	status, answer := r.request(role, method, path, body)
	if status != want {
		r.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	check(r, json.Unmarshal(answer, v))
}

func (r *replayed) replay(role, query string) (part action.Replay) {
	r.Helper()
	r.into(&part, http.StatusOK, role, "GET", "/v1/sessions/"+r.session+"/replay"+query, "")
	return part
}

// holds verifies all records of a replay.
func (r *replayed) holds(trail *action.ReplayTrail, records []action.ReplayRecord) {
	r.Helper()
	digest := sha256.New()
	for _, record := range records {
		sum := sha256.Sum256(append(try(hex.DecodeString(record.Previous))(r.T), record.Line...))
		if hex.EncodeToString(sum[:]) != record.Hash {
			r.Errorf("record %d does not verify", record.Seq)
		}
		digest.Write(sum[:])
	}
	if hex.EncodeToString(digest.Sum(nil)) != trail.Digest || int64(len(records)) != trail.Count || records[len(records)-1].Hash != trail.Hash {
		r.Errorf("%d records are not those of %+v", len(records), trail)
	}
}

func TestAReplayHasWhatHappenedInOpenAndEndedSessions(t *testing.T) {
	r := openReplayed(t)
	for _, end := range []string{"", "close", "archive"} {
		if end != "" {
			r.request("operator", "POST", "/v1/sessions/"+r.session+"/"+end, `{}`)
		}
		part := r.replay("operator", "")
		r.holds(part.Trail, part.Records)
		if end != "" && part.Session.State != map[string]string{"close": "closed", "archive": "archived"}[end] || part.Session.ID != r.session {
			t.Errorf("after %q the session is %+v", end, part.Session)
		}
		if len(part.Pictures) != 1 || part.Next != "" {
			t.Errorf("pictures %+v, next %q", part.Pictures, part.Next)
		}
		for _, p := range part.Pictures {
			if status, picture := r.request("operator", "GET", p.Address, ""); status != http.StatusOK || !bytes.HasPrefix(picture, []byte("\x89PNG")) || fmt.Sprintf("%x", sha256.Sum256(picture)) != p.SHA256 {
				t.Errorf("the picture of hash %s is %d %q", p.SHA256, status, picture)
			}
		}
		if len(part.Questions) != 1 || part.Questions[0].State != "denied" || part.Questions[0].Reason != "<b>not today</b>" {
			t.Errorf("questions %+v", part.Questions)
		}
		refused := 0
		for _, record := range part.Records {
			if record.Action == "page.goto" && strings.HasPrefix(record.Error, string(fault.BlockedDomain)) {
				refused++
			}
		}
		if refused != 1 || part.Trail.Results["fault"] == 0 || part.Trail.Results["ok"] == 0 {
			t.Errorf("%d refused navigations, %+v", refused, part.Trail)
		}
	}
}

func TestThePartsOfAReplayAreTheWhole(t *testing.T) {
	r := openReplayed(t)
	part := r.replay("operator", "?limit=3")
	trail, all, questions := part.Trail, part.Records, len(part.Questions)
	for parts := 1; part.Next != ""; parts++ {
		if len(part.Records) != 3 || parts > 20 {
			t.Fatalf("part %d has %d records", parts, len(part.Records))
		}
		part = r.replay("operator", "?limit=3&cursor="+part.Next) // which itself leaves records
		if part.Trail != nil {
			t.Error("a later part describes the trail")
		}
		all, questions = append(all, part.Records...), questions+len(part.Questions)
	}
	r.holds(trail, all)
	if questions == 0 {
		t.Error("no part has the question")
	}
}

func TestWhoMayReplayASession(t *testing.T) {
	r := openReplayed(t)
	at := "/v1/sessions/" + r.session + "/replay"
	for _, c := range []struct {
		role, path string
		want       int
		code       fault.Code
	}{
		{"operator", at, 200, ""}, {"viewer", at, 200, ""}, {"agent", at, 403, fault.DeniedByPolicy},
		{"operator", "/v1/sessions/s0123456789abcdef/replay", 404, fault.SessionNotFound},
		{"operator", at + "?cursor=1", 400, fault.InvalidRequest}, {"operator", at + "?cursor=1-2-3", 400, fault.InvalidRequest},
		{"operator", at + "?limit=1001", 400, fault.InvalidRequest}, {"operator", at + "?limit=-1", 400, fault.InvalidRequest},
	} {
		status, body := r.request(c.role, "GET", c.path, "")
		if status != c.want || c.code != "" && !strings.Contains(string(body), `"`+string(c.code)+`"`) {
			t.Errorf("%s %s: %d %s", c.role, c.path, status, body)
		}
	}
}

func TestTheCommandExportsTheRecordsThatTheGatewayHas(t *testing.T) {
	r := openReplayed(t)
	out := filepath.Join(t.TempDir(), "replay.html")
	run := func(args ...string) (string, string, int) {
		var printed, complaints bytes.Buffer
		none := func(string) (string, bool) { return "", false }
		status := cli.Run(t.Context(), cli.Deps{}, append([]string{"--gateway", r.url, "--token", "operator"}, args...), none, cli.Stdio{In: &printed, Out: &printed, Err: &complaints})
		return printed.String(), complaints.String(), status
	}
	if _, complaints, status := run("session", "export", r.session, "-o", out); status != 0 || !strings.Contains(complaints, "picture 1 of 1") {
		t.Fatalf("status %d: %s", status, complaints)
	}
	info := try(os.Stat(out))(t)
	page := string(try(os.ReadFile(out))(t))
	if strings.Count(page, `data-field="seal"`) != 1 { // the export fails if what was signed is not what was received
		t.Error("the file is not signed")
	}
	if info.Mode().Perm() != 0o600 || strings.Count(page, "data-picture=") != 1 || strings.Contains(page, "<b>not today") {
		t.Errorf("mode %v, %d pictures", info.Mode(), strings.Count(page, "data-picture="))
	}
	shown, complaints, status := run("session", "replay", r.session)
	if status != 0 || !strings.Contains(shown, "page.type") || !strings.Contains(shown, "digest") {
		t.Errorf("status %d: %s %s", status, shown, complaints)
	}
	whole, _, status := run("session", "replay", r.session, "--json")
	var document struct{ Data action.Replay }
	if err := json.Unmarshal([]byte(whole), &document); err != nil || status != 0 {
		t.Fatal(status, err)
	}
	r.holds(document.Data.Trail, document.Data.Records)
}
