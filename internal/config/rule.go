package config

import "fmt"

// Rule is one rule of the policy. The policy defines which names are valid
// (docs/policy.md).
type Rule struct {
	Tools       []string    `yaml:"tools"`
	Roles       []string    `yaml:"roles,omitempty"`
	Hosts       []string    `yaml:"hosts,omitempty"`
	Risk        string      `yaml:"risk,omitempty"`
	Action      string      `yaml:"action,omitempty"`
	Conditions  []Condition `yaml:"conditions,omitempty"`
	Description string      `yaml:"description,omitempty"`
}

// Condition is one thing that must hold for a rule to match.
type Condition struct {
	Param   string   `yaml:"param"`
	Equals  *Scalar  `yaml:"equals,omitempty"`
	Matches *string  `yaml:"matches,omitempty"`
	In      []Scalar `yaml:"in,omitempty"`
}

// Scalar is a text, a number, true or false, as text.
type Scalar string

// UnmarshalYAML reads any value that is neither a list nor a map.
func (s *Scalar) UnmarshalYAML(read func(any) error) error {
	var value any
	if err := read(&value); err != nil {
		return err
	}
	switch value.(type) {
	case string, bool, uint64, int64, float64:
		*s = Scalar(fmt.Sprint(value))
		return nil
	}
	return fmt.Errorf("want a text, a number, true or false")
}
