package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

// small is a closed trail of three segments of two records, and one more
// segment that closing signed.
func small(t testing.TB) sealed {
	t.Helper()
	s := newSealed(t)
	for range 3 {
		fill(t, s.Log, 1)
		s.sign(t)
	}
	s.Record(action.Record{EventType: action.EventConfig, Detail: "the end"})
	s.Close()
	if v := s.inspect(t); !v.OK || v.Records != 7 || v.Checkpoints != 4 || v.Signed != 7 || v.First != 1 || v.Key != audit.KeyID(s.public()) {
		t.Fatalf("a good trail: %+v", v)
	}
	tamper(t, s.db)
	return s
}

func (s sealed) lines(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(s.points())
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

func (s sealed) write(t testing.TB, text string) {
	t.Helper()
	if err := os.WriteFile(s.points(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s sealed) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := s.db.Writer.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// undoing runs a function in a transaction and rolls it back, so that each attempt begins with the
// same trail.
func (s sealed) undoing(t testing.TB, attempt func()) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if _, err := s.db.Writer.Exec(`VACUUM INTO ?`, copied); err != nil {
		t.Fatal(err)
	}
	attempt()
	s.exec(t, `ATTACH ? AS before`, copied)
	s.exec(t, `DELETE FROM audit`)
	s.exec(t, `INSERT INTO audit (seq, scope, session, actor, verb, record, hash) SELECT seq, scope, session, actor, verb, record, hash FROM before.audit`)
	s.exec(t, `UPDATE audit_state SET (cut, checkpoint) = (SELECT cut, checkpoint FROM before.audit_state)`)
	s.exec(t, `DETACH before`)
	if v := s.inspect(t); !v.OK {
		t.Fatalf("the trail was not repaired: %+v", v)
	}
}

// rewrite changes a record and repairs the chain, like an attacker who can write the table but not
// sign.
func rewrite(t testing.TB, db *sql.DB, seq int64, change func(record string) string) {
	t.Helper()
	rows, err := db.Query(`SELECT seq, record FROM audit ORDER BY seq`)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[int64]string{}
	var order []int64
	for rows.Next() {
		var n int64
		var text string
		if err := rows.Scan(&n, &text); err != nil {
			t.Fatal(err)
		}
		if n == seq {
			text = change(text)
		}
		texts[n], order = text, append(order, n)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	var last [sha256.Size]byte
	for _, n := range order {
		last = sha256.Sum256(append(last[:], texts[n]...))
		if _, err := db.Exec(`UPDATE audit SET record = ?, hash = ? WHERE seq = ?`, texts[n], hex.EncodeToString(last[:]), n); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryFlippedByteIsFoundWithoutTheGateway(t *testing.T) {
	s := small(t)
	flips := 0
	for _, column := range []string{"record", "hash", "scope", "session", "actor", "verb"} {
		for seq := int64(1); seq <= 7; seq++ {
			var original string
			if err := s.db.Writer.QueryRow(`SELECT `+column+` FROM audit WHERE seq = ?`, seq).Scan(&original); err != nil {
				t.Fatal(err)
			}
			for i := range len(original) {
				changed := []byte(original)
				changed[i] ^= 1 << (i % 8)
				s.exec(t, `UPDATE audit SET `+column+` = ? WHERE seq = ?`, string(changed), seq)
				if v := s.inspect(t); v.OK || v.Broken != seq {
					t.Fatalf("byte %d of %s of record %d: %+v", i, column, seq, v)
				}
				flips++
			}
			s.exec(t, `UPDATE audit SET `+column+` = ? WHERE seq = ?`, original, seq)
		}
	}
	if v := s.inspect(t); !v.OK || flips < 1500 {
		t.Fatalf("after %d flips and repairs: %+v", flips, v)
	}
}

func TestEveryMissingRecordIsFound(t *testing.T) {
	s := small(t)
	for seq := range int64(7) {
		s.undoing(t, func() {
			s.exec(t, `DELETE FROM audit WHERE seq = ?`, seq+1)
			if v := s.inspect(t); v.OK || v.Problem == "" {
				t.Errorf("without record %d: %+v", seq+1, v)
			}
		})
		s.undoing(t, func() { // and the others moved up, with a chain that fits
			s.exec(t, `DELETE FROM audit WHERE seq = ?`, seq+1)
			s.exec(t, `UPDATE audit SET seq = seq - 1, record = json_set(record, '$.seq', seq - 1) WHERE seq > ?`, seq+1)
			rewrite(t, s.db.Writer, 0, nil)
			if v := s.inspect(t); v.OK {
				t.Errorf("record %d taken out and the trail rewritten: %+v", seq+1, v)
			}
		})
	}
}

func TestEveryCutTailIsFound(t *testing.T) {
	s := small(t)
	for seq := range int64(7) {
		s.undoing(t, func() {
			s.exec(t, `DELETE FROM audit WHERE seq > ?`, seq)
			if v := s.inspect(t); v.OK || v.Broken != seq+1 || !strings.Contains(v.Problem, "cut") {
				t.Errorf("cut behind record %d: %+v", seq, v)
			}
		})
	}
}

func TestEverySwapIsFound(t *testing.T) {
	s := small(t)
	for a := int64(1); a <= 7; a++ {
		for b := a + 1; b <= 7; b++ {
			s.undoing(t, func() {
				s.exec(t, `UPDATE audit SET seq = 100 WHERE seq = ?`, a)
				s.exec(t, `UPDATE audit SET seq = ? WHERE seq = ?`, a, b)
				s.exec(t, `UPDATE audit SET seq = ? WHERE seq = 100`, b)
				if v := s.inspect(t); v.OK || v.Broken != a {
					t.Errorf("%d and %d swapped: %+v", a, b, v)
				}
			})
		}
	}
}

func TestARewrittenTrailIsFound(t *testing.T) {
	s := small(t)
	for seq := int64(1); seq <= 7; seq++ {
		s.undoing(t, func() {
			rewrite(t, s.db.Writer, seq, func(r string) string {
				return strings.Replace(r, `"timestamp":"2`, `"timestamp":"1`, 1)
			})
			v := s.inspect(t)
			signed := min((seq+1)/2*2, 7) // the checkpoint behind it
			if v.OK || v.Broken > seq || !strings.Contains(v.Problem, fmt.Sprintf("record %d (", signed)) || !strings.Contains(v.Problem, "signed at 2") {
				t.Errorf("record %d rewritten: %+v", seq, v)
			}
		})
	}
}

func TestEveryFlippedByteOfTheSecondPlaceIsFound(t *testing.T) {
	s := small(t)
	text, err := os.ReadFile(s.points())
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1 << (i % 8)
		s.write(t, string(changed))
		if v := s.inspect(t); v.OK {
			t.Fatalf("byte %d (%q to %q): %+v", i, text[i], changed[i], v)
		}
		s.write(t, string(text[:i]))
		if v := s.inspect(t); v.OK {
			t.Fatalf("cut before byte %d: %+v", i, v)
		}
	}
	s.write(t, string(text))
	if v := s.inspect(t); !v.OK || len(text) < 1000 {
		t.Fatalf("%d bytes, repaired: %+v", len(text), v)
	}
}

func TestCheckpointsThatAreMissingForgedOrMovedAreFound(t *testing.T) {
	s := small(t)
	good := s.lines(t)
	good[3] += "\n"
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
	forge := func(line string, key ed25519.PrivateKey, id string) string {
		var c audit.Checkpoint
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		c.Key, c.Signature = id, nil
		message, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		c.Signature = ed25519.Sign(key, message)
		signed, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(signed) + "\n"
	}
	if again := forge(good[1], s.key, audit.KeyID(s.public())); again != good[1] {
		t.Fatalf("what forges does not sign as the log does: %s", again)
	}
	for name, lines := range map[string][]string{
		"none":                 {},
		"first missing":        good[1:],
		"second missing":       {good[0], good[2], good[3]},
		"last missing":         good[:3],
		"swapped":              {good[0], good[2], good[1], good[3]},
		"repeated":             {good[0], good[0], good[1], good[2], good[3]},
		"another key":          {good[0], forge(good[1], other, audit.KeyID(other.Public().(ed25519.PublicKey))), good[2], good[3]},
		"another key, as ours": {good[0], forge(good[1], other, audit.KeyID(s.public())), good[2], good[3]},
		"all of another key":   {forge(good[0], other, audit.KeyID(s.public())), forge(good[1], other, audit.KeyID(s.public()))},
		"something else":       {"these are no checkpoints\n"},
	} {
		s.write(t, strings.Join(lines, ""))
		if v := s.inspect(t); v.OK || v.Problem == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	s.write(t, strings.Join(good, ""))
	if v := s.inspect(t); !v.OK {
		t.Fatalf("repaired: %+v", v)
	}
	s.exec(t, `UPDATE audit_state SET checkpoint = ''`)
	if v := s.inspect(t); v.OK {
		t.Errorf("without its own newest checkpoint: %+v", v)
	}
	s.exec(t, `DELETE FROM audit_state`)
	if v := s.inspect(t); v.OK {
		t.Errorf("without its state: %+v", v)
	}
}
