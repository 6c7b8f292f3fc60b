package action

import "reflect"

// Bound returns the arguments to which the answer to a question about the call
// is bound: those without strict, because the answer applies to the element
// that was found. It does not change args.
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
