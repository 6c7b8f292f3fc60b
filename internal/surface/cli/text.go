package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// style colours text for a terminal, and leaves it alone elsewhere.
type style struct{ on bool }

func newStyle(stdio Stdio, env config.Env) style {
	_, refused := env("NO_COLOR") // no-color.org
	return style{on: stdio.Terminal && !refused}
}

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bad(text string) string { return s.paint("31;1", text) }

func (s style) good(text string) string { return s.paint("32", text) }

func (s style) warn(text string) string { return s.paint("33", text) }

func (s style) dim(text string) string { return s.paint("2", text) }

func (s style) bold(text string) string { return s.paint("1", text) }

// table prints a heading, whose columns are separated by tabs, and a line of cells
// for each of all; none where there is nothing. Cells that a page or a caller chose
// must be the result of short, which removes control characters.
func table[T any](env *environment, none, heading string, all []T, cells func(T) []any) {
	if len(all) == 0 {
		env.printf("%s\n", none)
		return
	}
	w := tabwriter.NewWriter(env.io.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, heading)
	for _, one := range all {
		line := cells(one)
		fmt.Fprintf(w, strings.TrimSuffix(strings.Repeat("%v\t", len(line)), "\t")+"\n", line...)
	}
	_ = w.Flush()
}

// facts prints names and values in two columns. It removes control characters from
// values, and leaves out empty ones.
func (env *environment) facts(list func(row func(name, value string))) {
	w := tabwriter.NewWriter(env.io.Out, 0, 4, 2, ' ', 0)
	list(func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, clean(value))
		}
	})
	_ = w.Flush()
}

func (env *environment) printf(format string, args ...any) { fmt.Fprintf(env.io.Out, format, args...) }

// clean removes the characters from text that control a terminal: web pages write
// much of what is printed.
func clean(text string) string { return untrusted.Terminal(text) }

// short cuts text to n runes for a table.
func short(text string, n int) string { return untrusted.TerminalLine(text, n) }

// sanitize applies clean to every text that can be reached from v, in place.
func sanitize(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if inner := v.Elem(); inner.Kind() == reflect.String && v.CanSet() && v.Kind() == reflect.Interface {
			v.Set(reflect.ValueOf(clean(inner.String())))
		} else if inner.IsValid() {
			sanitize(inner)
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(clean(v.String()))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			sanitize(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // bytes are written to files, not shown
		}
		for i := range v.Len() {
			sanitize(v.Index(i))
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			washed := reflect.New(value.Type()).Elem()
			washed.Set(value)
			sanitize(washed)
			v.SetMapIndex(key, washed)
		}
	}
}

// encode writes v as JSON. It also escapes the characters that control a terminal,
// which encoding/json does not.
func encode(w io.Writer, v any) error {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(untrusted.TerminalJSON(text.Bytes()))
	return err
}
