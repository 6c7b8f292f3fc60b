package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Problem is one thing wrong with a configuration.
type Problem struct {
	Path    string `json:"path,omitempty"` // of the key: "security.hitl.rules[2].action"
	Line    int    `json:"line,omitempty"` // in the file, from 1; 0 if it is not in the file
	Message string `json:"message"`

	unknown bool // the key is unknown: its value is skipped and the rest is read
}

func (p Problem) Error() string {
	text := p.Message
	if p.Path != "" && !p.unknown { // the message does not contain the path
		text = p.Path + ": " + text
	}
	if p.Line > 0 {
		return fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return text
}

// Problems is a list of problems in the order of the file.
type Problems []Problem

func (all Problems) Error() string {
	switch len(all) {
	case 0:
		return "nothing is wrong"
	case 1:
		return all[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", all[0].Error(), len(all)-1)
}

// problemOf converts an error of a check. The error's text begins with the key.
func problemOf(err error) Problem {
	var p Problem
	if errors.As(err, &p) {
		return p
	}
	path, message, found := strings.Cut(err.Error(), ": ")
	if found && isKey(path) {
		return Problem{Path: path, Message: message}
	}
	return Problem{Message: err.Error()}
}

// isKey reports whether a path leads to a key, or into one that is a list.
func isKey(path string) bool {
	path, _, _ = strings.Cut(path, "[")
	return slices.ContainsFunc(Keys(), func(k Key) bool { return k.Path == path || strings.HasPrefix(k.Path, path+".") })
}

// parsing converts an error of the parser. It drops the excerpt of the file,
// which may contain text that must not appear in a log.
func parsing(prefix string, err error) Problem {
	p := Problem{Message: prefix + firstLine(err)}
	var at yaml.Error
	if errors.As(err, &at) {
		p.Message = prefix + inWords(at.GetMessage())
		if token := at.GetToken(); token != nil && token.Position != nil {
			p.Line = token.Position.Line
		}
	}
	return p
}

var wrongKind = regexp.MustCompile(`cannot unmarshal (\S+) into Go (?:struct field \S+|value) of type (\S+)`)

// inWords rewrites a parser's message about a value of the wrong kind without the
// names of Go types.
func inWords(message string) string {
	return wrongKind.ReplaceAllStringFunc(message, func(found string) string {
		parts := wrongKind.FindStringSubmatch(found)
		return "a " + kindOf(parts[1]) + " stands where a " + kindOf(parts[2]) + " belongs"
	})
}

func kindOf(of string) string {
	switch {
	case strings.HasPrefix(of, "[]"):
		return "list"
	case strings.HasPrefix(of, "int"), strings.HasPrefix(of, "uint"):
		return "whole number"
	case strings.HasPrefix(of, "float"):
		return "number"
	case of == "bool":
		return "true or false"
	case of == "string":
		return "text"
	}
	return "group of keys"
}

// locate sets the lines of problems and sorts the problems by line. Keys that
// were set by the environment have no line.
func locate(data []byte, problems Problems, env Env) Problems {
	file, err := parser.ParseBytes(data, 0)
	for i, p := range problems {
		if err == nil && p.Line == 0 && p.Path != "" && !fromEnvironment(p.Path, env) {
			problems[i].Line = lineOf(file, p.Path)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Path, b.Path))
	})
	return problems
}

func fromEnvironment(path string, env Env) bool {
	path, _, _ = strings.Cut(path, "[")
	for _, key := range Keys() {
		if key.Path == path && key.Env != "" {
			_, set := env(key.Env)
			return set
		}
	}
	return false
}

// lineOf returns the line of a key. If the key is missing, it returns the line of
// its nearest existing parent, or 0 if there is none.
func lineOf(file *ast.File, path string) int {
	if len(file.Docs) == 0 {
		return 0
	}
	node, line := file.Docs[0].Body, 0
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		next, at := step(node, part)
		if next == nil {
			break
		}
		node, line = next, at
	}
	return line
}

// step returns the child of a node with the given name or index ("[2]").
func step(node ast.Node, part string) (next ast.Node, line int) {
	if index, inList := strings.CutPrefix(part, "["); inList {
		list, ok := node.(*ast.SequenceNode)
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if !ok || err != nil || i >= len(list.Values) {
			return nil, 0
		}
		return list.Values[i], list.Values[i].GetToken().Position.Line
	}
	pairs, ok := node.(ast.MapNode)
	if !ok {
		return nil, 0
	}
	for each := pairs.MapRange(); each.Next(); {
		if key := each.Key(); key.GetToken().Value == part {
			return each.Value(), key.GetToken().Position.Line
		}
	}
	return nil, 0
}
