package redact

import (
	"errors"
	"fmt"
	"reflect"
)

// ErrFailed is why a value could not be looked through. Nothing of it may be
// handed out.
var ErrFailed = errors.New("a value could not be looked through for secrets")

// Value is v without the secrets in its texts: those of fields, elements and
// keys, however deep. v itself is not changed, for others may hold parts of it;
// where it has no secret it is what is returned.
func Value[T any](m *Matcher, v T) (_ T, err error) {
	if m == nil {
		return v, nil
	}
	defer func() {
		if r := recover(); r != nil {
			var none T
			v, err = none, fmt.Errorf("%w: %T", ErrFailed, v)
		}
	}()
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(m.copied(reflect.ValueOf(&v).Elem()))
	return out.Interface().(T), nil
}

// copied is a copy of v whose texts have no secrets.
func (m *Matcher) copied(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(m.Text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(m.copied(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(m.copied(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(m.copied(v.Field(i)))
			}
		}
	}
	return out
}
