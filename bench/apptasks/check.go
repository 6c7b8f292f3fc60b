package apptasks

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// lines are an application's data, a line for each thing. JSON has one for each
// value, and one for each element of a list.
func lines(state string) (all []string) {
	for _, line := range strings.Split(strings.TrimSuffix(state, "\n"), "\n") {
		var value any
		if json.Valid([]byte(state)) {
			_ = json.Unmarshal([]byte(state), &value) // of valid JSON
			return flat("", value)
		}
		if strings.HasPrefix(line, "[") && json.Unmarshal([]byte(line), &value) == nil {
			all = append(all, flat("", value)...)
		} else {
			all = append(all, line)
		}
	}
	return all
}

func flat(name string, value any) (all []string) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, flat(name+"."+key, v[key])...)
		}
		return all
	case []any:
		for _, element := range v {
			text, _ := json.Marshal(element) // of what was JSON
			all = append(all, name+" "+string(text))
		}
		return all
	}
	return []string{fmt.Sprintf("%s %v", name, value)}
}

// changes are the lines that came ("+ …") and went ("- …") between two states.
func changes(before, after string) (all []string) {
	old, fresh := lines(before), lines(after)
	for _, line := range old {
		if i := slices.Index(fresh, line); i >= 0 {
			fresh = slices.Delete(fresh, i, i+1)
		} else {
			all = append(all, "- "+line)
		}
	}
	for _, line := range fresh {
		all = append(all, "+ "+line)
	}
	return slices.DeleteFunc(all, func(line string) bool { return strings.TrimSpace(line[1:]) == "" })
}

// judge says what is wrong with changes: patterns that none fits, and changes
// that fit none. Nothing is wrong where it is empty.
func judge(changed, patterns []string) string {
	left := slices.Clone(changed)
	var wrong []string
	for _, pattern := range patterns {
		shape := regexp.MustCompile(`^[+-] ` + pattern[2:] + `$`)
		i := slices.IndexFunc(left, func(line string) bool { return line[0] == pattern[0] && shape.MatchString(line) })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("the application has not: %s", pattern))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, line := range left {
		wrong = append(wrong, fmt.Sprintf("changed although nobody wished it: %s", line))
	}
	return strings.Join(wrong, "\n")
}
