package config

import "reflect"

// Changed lists the keys whose values differ, in the order of the file.
func Changed(a, b Config) []string {
	var paths []string
	before, after := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, key := range Keys() {
		if !reflect.DeepEqual(before.FieldByIndex(key.at).Interface(), after.FieldByIndex(key.at).Interface()) {
			paths = append(paths, key.Path)
		}
	}
	return paths
}

// Take sets the keys that applies names by their paths to the values that they have
// in from.
func (c *Config) Take(from Config, applies func(path string) bool) {
	into, values := reflect.ValueOf(c).Elem(), reflect.ValueOf(from)
	for _, key := range Keys() {
		if applies(key.Path) {
			into.FieldByIndex(key.at).Set(values.FieldByIndex(key.at))
		}
	}
}
