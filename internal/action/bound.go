package action

import "reflect"

// Bound returns arguments as an answer to a question about the call is bound to
// them: without strict, since the answer is for the element that was found. The
// arguments stay as they are.
func Bound(args any) any {
	v := reflect.ValueOf(args)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return args
	}
	out := reflect.New(v.Elem().Type())
	out.Elem().Set(v.Elem())
	for i := range out.Elem().NumField() {
		if l, is := reflect.TypeAssert[Locator](out.Elem().Field(i)); is {
			l.Strict = false
			out.Elem().Field(i).Set(reflect.ValueOf(l))
		}
	}
	return out.Interface()
}
