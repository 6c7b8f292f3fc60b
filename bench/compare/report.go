package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Row is one action.
type Row struct {
	Name    string  `json:"name"`
	OldMS   float64 `json:"old_ms"`
	NewMS   float64 `json:"new_ms"`
	FloorMS float64 `json:"floor_ms"`
	ToFloor float64 `json:"new_to_floor"`
	Rounds  int     `json:"rounds"`
	Ratio   Ratio   `json:"ratio"`
	Mark    Mark    `json:"mark"`
	Why     string  `json:"why,omitempty"` // there is no value
	Broken  bool    `json:"broken,omitempty"`
}

// Times are what was measured of a row, in milliseconds. Old and New have one
// value for each round.
type Times struct{ Old, New, Floor []float64 }

// NewRow computes a row. Without a time of each it has no value.
func NewRow(name string, t Times, margin float64) Row {
	if len(t.Old) == 0 || len(t.Old) != len(t.New) || len(t.Floor) == 0 {
		return Row{Name: name, Mark: None, Why: "it was not measured"}
	}
	ratio, floor := RatioOfMedians(t.Old, t.New), Median(t.Floor)
	mark := ratio.Mark(margin)
	if len(t.Old) < Fewest {
		mark = TooFew
	}
	return Row{
		Name: name, OldMS: Median(t.Old), NewMS: Median(t.New), FloorMS: floor, ToFloor: Median(t.New) / floor, Rounds: len(t.Old),
		Ratio: ratio, Mark: mark,
	}
}

// Report is the whole comparison.
type Report struct {
	Old    string  `json:"old"`
	New    string  `json:"new"`
	Margin float64 `json:"margin"`
	Load   string  `json:"load"` // load averages of the machine, before and after
	Rows   []Row   `json:"rows"`
}

// Worse are the rows that are slower, or that only the new version fails to do.
func (r Report) Worse() []string {
	var names []string
	for _, row := range r.Rows {
		if row.Mark == Slower || row.Broken {
			names = append(names, row.Name)
		}
	}
	return names
}

// JSON writes the report as JSON.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Table writes the report as text.
func (r Report) Table(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s\nnew: %s\nload average: %s\n\n", r.Old, r.New, r.Load)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "action\told ms\tnew ms\tfloor ms\tnew/floor\tnew/old\t95 % interval\trounds\t\t\n")
	for _, row := range r.Rows {
		if row.Mark == None {
			fmt.Fprintf(t, "%s\t–\t–\t–\t–\t–\t–\t–\t%s\t\n", row.Name, row.Mark)
			continue
		}
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.3f\t%.3f to %.3f\t%d\t%s\t\n",
			row.Name, row.OldMS, row.NewMS, row.FloorMS, row.ToFloor, row.Ratio.Value, row.Ratio.Low, row.Ratio.High, row.Rounds, row.Mark)
	}
	_ = t.Flush() // a strings.Builder takes everything
	for _, row := range r.Rows {
		if row.Why != "" {
			fmt.Fprintf(&b, "\n%s: %s\n", row.Name, row.Why)
		}
	}
	fmt.Fprintf(&b, "\n\"slower\" and \"faster\": the whole interval of new/old is more than %.0f %% from 1.\n", r.Margin*100)
	_, err := io.WriteString(w, b.String())
	return err
}
