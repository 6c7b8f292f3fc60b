package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const margin = 0.03

// noisy returns times of rounds: each round is slow or fast for both, and each
// version has noise of its own around its median.
func noisy(rounds int, old, new float64, stream uint64) Times {
	draws := rand.New(rand.NewPCG(1, stream))
	t := Times{Floor: []float64{1}}
	for range rounds {
		round := math.Exp(draws.NormFloat64() / 4)
		t.Old = append(t.Old, old*round*math.Exp(draws.NormFloat64()/20))
		t.New = append(t.New, new*round*math.Exp(draws.NormFloat64()/20))
	}
	return t
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		ratio Ratio
		want  Mark
	}{
		{Ratio{1, 0.99, 1.01}, Same},
		{Ratio{1.1, 1.031, 1.2}, Slower},
		{Ratio{1.1, 1.03, 1.2}, Same},
		{Ratio{1.1, 0.9, 1.2}, Same},
		{Ratio{0.9, 0.8, 0.969}, Faster},
		{Ratio{0.9, 0.8, 0.97}, Same},
	} {
		if got := c.ratio.Mark(margin); got != c.want {
			t.Errorf("%v is marked %q, want %q", c.ratio, got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		given := append([]float64(nil), c.values...)
		if got := Median(given); got != c.want || !reflect.DeepEqual(given, c.values) {
			t.Errorf("the median of %v is %g, want %g; the values are then %v", c.values, got, c.want, given)
		}
	}
}

// A difference that is there is found, and the interval of equal versions
// contains 1 about as often as it should: at least 90 of 100 times.
func TestRatioOfMedians(t *testing.T) {
	for _, c := range []struct {
		new  float64
		mark Mark
	}{{12, Slower}, {10, Same}, {8, Faster}} {
		row := NewRow("a", noisy(200, 10, c.new, 7), margin)
		if row.Mark != c.mark || row.Ratio.Low > c.new/10 || row.Ratio.High < c.new/10 || row.Rounds != 200 {
			t.Errorf("10 ms against %g ms: %+v", c.new, row)
		}
	}
	for _, rounds := range []int{Fewest, 60} {
		covered := 0
		for stream := range uint64(100) {
			x := noisy(rounds, 10, 10, stream)
			if r := RatioOfMedians(x.Old, x.New); r.Low <= 1 && 1 <= r.High {
				covered++
			}
		}
		if covered < 90 {
			t.Errorf("the interval of %d rounds of equal versions contains 1 in %d cases of 100", rounds, covered)
		}
	}
}

func TestRatioIsReproducible(t *testing.T) {
	x := noisy(50, 10, 11, 3)
	if a, b := RatioOfMedians(x.Old, x.New), RatioOfMedians(x.Old, x.New); a != b {
		t.Errorf("%v and then %v", a, b)
	}
	if r := RatioOfMedians([]float64{10}, []float64{20}); r != (Ratio{2, 2, 2}) {
		t.Errorf("one round of 10 and 20 ms: %v", r)
	}
}

func TestRowWithoutTimes(t *testing.T) {
	for _, x := range []Times{{}, {Old: []float64{1}, New: []float64{1}}, {Old: []float64{1, 2}, New: []float64{1}, Floor: []float64{1}}} {
		if row := NewRow("a", x, margin); row.Mark != None || row.Why == "" {
			t.Errorf("%v: %+v", x, row)
		}
	}
}

func TestReport(t *testing.T) {
	r := Report{Old: "aaa old", New: "bbb new", Margin: margin, Load: "1 and 2", Rows: []Row{
		NewRow("click", Times{slices.Repeat([]float64{10}, Fewest), slices.Repeat([]float64{20}, Fewest), []float64{5}}, margin),
		NewRow("fill", Times{slices.Repeat([]float64{10}, Fewest), slices.Repeat([]float64{10}, Fewest), []float64{5}}, margin),
		NewRow("select", Times{slices.Repeat([]float64{10}, Fewest-1), slices.Repeat([]float64{20}, Fewest-1), []float64{5}}, margin),
		{Name: "hover", Mark: None, Why: "the old version has no such tool"},
		{Name: "press", Mark: None, Why: "the new version refused it", Broken: true},
	}}
	if worse := r.Worse(); !reflect.DeepEqual(worse, []string{"click", "press"}) {
		t.Errorf("worse are %q", worse)
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	for _, want := range []string{"click 10.0 20.0 5.0 4.00 2.000 2.000 to 2.000 10 slower", "fill 10.0 10.0 5.0 2.00 1.000 1.000 to 1.000 10 same", "select 10.0 20.0 5.0 4.00 2.000 2.000 to 2.000 9 too few rounds", "hover – – – – – – – no value", "hover: the old version has no such tool", "old: aaa old"} {
		found := false
		for _, line := range lines {
			found = found || strings.Join(strings.Fields(line), " ") == want
		}
		if !found {
			t.Errorf("no line %q in\n%s", want, table.String())
		}
	}
	var text bytes.Buffer
	if err := r.JSON(&text); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text.Bytes(), &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%v: %+v", err, back)
	}
}

// repository makes one with two commits.
func repository(t *testing.T) (folder string, run func(args ...string) string) {
	t.Helper()
	folder = t.TempDir()
	run = func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	for _, name := range []string{"first", "second"} {
		write(t, folder, name)
		run("add", ".")
		run("commit", "-q", "-m", name)
	}
	return folder, run
}

func write(t *testing.T, folder, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAgainst(t *testing.T) {
	folder, run := repository(t)
	first, second := run("rev-parse", "HEAD^"), run("rev-parse", "HEAD")
	check := func(given, id, title string) {
		t.Helper()
		got, err := Against(t.Context(), folder, given)
		if err != nil || got.ID != id || !strings.HasSuffix(got.Title, title) {
			t.Errorf("against %q: %+v, %v; want %s %s", given, got, err, id, title)
		}
	}
	check("", first, " first")
	check("HEAD", second, " second")
	check(first[:10], first, " first")
	check(Self, "", "the same tree")
	if tree, err := Tree(t.Context(), folder); err != nil || !strings.HasSuffix(tree, " second") {
		t.Errorf("the tree is %q, %v", tree, err)
	}
	write(t, folder, "third")
	check("", second, " second")
	if tree, err := Tree(t.Context(), folder); err != nil || !strings.HasSuffix(tree, " second, with uncommitted changes") {
		t.Errorf("the tree is %q, %v", tree, err)
	}
	for _, wrong := range []string{"nothing", "--help", "HEAD^^^"} {
		if got, err := Against(t.Context(), folder, wrong); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("against %q: %+v, %v", wrong, got, err)
		}
	}
	if _, err := Against(t.Context(), t.TempDir(), ""); err == nil {
		t.Error("a folder that is no repository has a commit")
	}
}
