package audit_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

// interleaved is a trail in which the records of two sessions alternate.
func interleaved(t *testing.T) *audit.Log {
	t.Helper()
	l := openLog(t, openStore(t))
	for i := range 6 {
		r := record(i)
		if i%2 == 1 {
			r.SessionID, r.Result = "s2", "fault"
		}
		if err := l.BeginAndEnd(r, r); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestEachRecordOfASessionCanBeVerifiedAlone(t *testing.T) {
	l := interleaved(t)
	trail, err := l.SessionTrail(t.Context(), "acme", "s2")
	if err != nil {
		t.Fatal(err)
	}
	records, err := l.SessionRecords(t.Context(), "acme", "s2", 0, trail.Seq, 100)
	if err != nil || len(records) != 6 || trail.Count != 6 || trail.Events[action.EventIntent] != 3 || trail.Results["fault"] != 3 || len(trail.Results) != 1 {
		t.Fatalf("%d records, %+v, %v", len(records), trail, err)
	}
	digest := sha256.New()
	for _, r := range records {
		previous, err := hex.DecodeString(r.Previous)
		if sum := sha256.Sum256(append(previous, r.Line...)); err != nil || hex.EncodeToString(sum[:]) != r.Hash || r.SessionID != "s2" {
			t.Errorf("record %d does not verify: %+v", r.Seq, r)
		}
		own, _ := hex.DecodeString(r.Hash)
		digest.Write(own)
	}
	if last := records[5]; last.Hash != trail.Hash || last.Seq != trail.Seq || hex.EncodeToString(digest.Sum(nil)) != trail.Digest {
		t.Errorf("%+v is not the head of %+v", last, trail)
	}
	first, err := l.SessionRecords(t.Context(), "acme", "s1", 0, 100, 1)
	if err != nil || len(first) != 1 || first[0].Seq != 1 || len(first[0].Previous) != 64 {
		t.Errorf("the first record of the trail is %+v, %v", first, err)
	}
}

func TestASessionsRecordsAreReadInPartsAndByItsScopeAlone(t *testing.T) {
	l := interleaved(t)
	for _, c := range []struct {
		scope       string
		after, upTo int64
		limit       int
		want        []int64
	}{
		{"acme", 0, 99, 4, []int64{1, 2, 5, 6}}, {"acme", 6, 99, 4, []int64{9, 10}}, {"acme", 0, 5, 9, []int64{1, 2, 5}}, {"other", 0, 99, 9, nil},
	} {
		records, err := l.SessionRecords(t.Context(), c.scope, "s1", c.after, c.upTo, c.limit)
		if err != nil || len(records) != len(c.want) {
			t.Fatalf("%+v: %+v, %v", c, records, err)
		}
		for i, r := range records {
			if r.Seq != c.want[i] {
				t.Errorf("%+v: record %d is %d", c, i, r.Seq)
			}
		}
	}
	if trail, err := l.SessionTrail(t.Context(), "other", "s1"); err != nil || trail.Count != 0 || trail.Hash != "" {
		t.Errorf("another scope sees %+v, %v", trail, err)
	}
}

func TestTheSealOfAReplaySignsEachField(t *testing.T) {
	s := newSealed(t)
	part := &action.Replay{Session: action.Session{ID: "s1"}, Next: "3-4"}
	if err := s.SealReplay(part, "1-4"); err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(part.Seal.Signature)
	if err != nil || !ed25519.Verify(s.public(), []byte(part.Seal.Statement), signature) {
		t.Errorf("the signature does not fit: %v", err)
	}
	if part.Seal.PublicKey != base64.StdEncoding.EncodeToString(s.public()) {
		t.Errorf("the public key is %s", part.Seal.PublicKey)
	}
	var statement action.ReplayStatement
	if err := json.Unmarshal([]byte(part.Seal.Statement), &statement); err != nil {
		t.Fatal(err)
	}
	fields, err := part.Fields()
	if err != nil || statement.Type != action.ReplayType || statement.Cursor != "1-4" || statement.Key != audit.KeyID(s.public()) || statement.Time.IsZero() || len(statement.Fields) != len(fields) {
		t.Fatalf("%+v of %v: %v", statement, fields, err)
	}
	for name, text := range fields {
		if sum := sha256.Sum256([]byte(text)); statement.Fields[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not signed", name)
		}
	}
	unsigned := &action.Replay{}
	if err := openLog(t, openStore(t)).SealReplay(unsigned, ""); err != nil || unsigned.Seal != nil {
		t.Errorf("a trail without a key signs %+v: %v", unsigned.Seal, err)
	}
}
