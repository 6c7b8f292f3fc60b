package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// table prints one line of cells for each of all below a heading, whose columns
// tabs separate; none where there is nothing. Cells that a page or a caller
// chose must have been shortened, which cleans them.
func table[T any](r *root, none, heading string, all []T, cells func(T) []any) {
	if len(all) == 0 {
		r.printf("%s\n", none)
		return
	}
	w := tabwriter.NewWriter(r.io.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, heading)
	for _, one := range all {
		line := cells(one)
		fmt.Fprintf(w, strings.TrimSuffix(strings.Repeat("%v\t", len(line)), "\t")+"\n", line...)
	}
	_ = w.Flush()
}

// facts prints names and values, two columns; values are cleaned, and those
// that are empty left out.
func (r *root) facts(list func(row func(name, value string))) {
	w := tabwriter.NewWriter(r.io.Out, 0, 4, 2, ' ', 0)
	list(func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, clean(value))
		}
	})
	_ = w.Flush()
}
