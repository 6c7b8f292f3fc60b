package source

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// branch is an object that keeps the order of its names, which a MAC is over.
// Values are nil, string, int64, float64, bool, []any and branch.
type branch []pair

type pair struct {
	name  string
	value any
}

// value returns what is under a name; nil where that is nothing.
func (b branch) value(name string) any {
	for _, p := range b {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

func (b branch) without(name string) branch {
	rest := make(branch, 0, len(b))
	for _, p := range b {
		if p.name != name {
			rest = append(rest, p)
		}
	}
	return rest
}

var errNoObject = errors.New("has a file that is no object in JSON or YAML")

// treeOf reads an object in JSON or YAML.
func treeOf(text []byte, isJSON bool) (branch, error) {
	var tree any
	var err error
	if isJSON {
		tree, err = jsonTree(text)
	} else {
		var read yaml.MapSlice
		err = yaml.UnmarshalWithOptions(text, &read, yaml.UseOrderedMap())
		if err == nil {
			tree, err = yamlTree(read)
		}
	}
	b, ok := tree.(branch)
	if err != nil || !ok {
		return nil, errNoObject // the parser's own error may show what it read
	}
	return b, nil
}

func jsonTree(text []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text)) // refuses names given twice
	tree, err := jsonValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errNoObject
	}
	return tree, nil
}

func jsonValue(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String())
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			value, err := jsonValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.ReadToken()
		return list, err
	}
	return jsonObject(d)
}

// jsonObject reads on behind the brace.
func jsonObject(d *jsontext.Decoder) (any, error) {
	b := branch{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		named := name.String()
		value, err := jsonValue(d)
		if err != nil {
			return nil, err
		}
		b = append(b, pair{named, value})
	}
	_, err := d.ReadToken()
	return b, err
}

func number(text string) (any, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(text, 64)
}

func yamlTree(value any) (any, error) {
	switch v := value.(type) {
	case nil, string, bool, float64, int64:
		return v, nil
	case uint64:
		if v > math.MaxInt64 {
			return nil, errNoObject
		}
		return int64(v), nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = yamlTree(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.MapSlice:
		b := make(branch, 0, len(v))
		for _, item := range v {
			name, is := item.Key.(string)
			value, err := yamlTree(item.Value)
			if err != nil || !is {
				return nil, errNoObject
			}
			b = append(b, pair{name, value})
		}
		return b, nil
	}
	return nil, errNoObject
}

// toJSON writes a part of a tree.
func toJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out)
	if err := encodeTo(e, value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func encodeTo(e *jsontext.Encoder, value any) error {
	switch v := value.(type) {
	case nil:
		return e.WriteToken(jsontext.Null)
	case string:
		return e.WriteToken(jsontext.String(v))
	case bool:
		return e.WriteToken(jsontext.Bool(v))
	case int64:
		return e.WriteToken(jsontext.Int(v))
	case float64:
		return e.WriteToken(jsontext.Float(v))
	case []any:
		err := e.WriteToken(jsontext.BeginArray)
		for i := 0; i < len(v) && err == nil; i++ {
			err = encodeTo(e, v[i])
		}
		return errors.Join(err, e.WriteToken(jsontext.EndArray))
	case branch:
		err := e.WriteToken(jsontext.BeginObject)
		for i := 0; i < len(v) && err == nil; i++ {
			err = errors.Join(e.WriteToken(jsontext.String(v[i].name)), encodeTo(e, v[i].value))
		}
		return errors.Join(err, e.WriteToken(jsontext.EndObject))
	}
	return errNoObject
}
