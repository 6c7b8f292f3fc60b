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
