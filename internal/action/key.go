package action

import "strings"

// keyAliases are other names of keys than those of KeyboardEvent.key.
var keyAliases = map[string]string{
	"Ctrl": "Control", "Cmd": "Meta", "Command": "Meta", "Option": "Alt", "Return": "Enter",
	"Esc": "Escape", "Del": "Delete", "Space": " ", "Spacebar": " ", "Up": "ArrowUp",
	"Down": "ArrowDown", "Left": "ArrowLeft", "Right": "ArrowRight", "ControlOrMeta": "Control",
}

// KeyName returns the name of a key as KeyboardEvent.key has it.
func KeyName(name string) string {
	if key, ok := keyAliases[name]; ok {
		return key
	}
	return name
}

// SplitKeys splits a combination such as "Ctrl+Shift+a" into the names of the keys
// that are held and of the key that is pressed, by KeyName. What is judged and what
// is pressed are both read by it. It does not check that the keys are known.
func SplitKeys(combination string) (held []string, pressed string) {
	parts := strings.Split(combination, "+")
	if strings.HasSuffix(combination, "++") || combination == "+" { // the plus key itself
		parts = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(combination, "+"), "+"), "+"), "+")
		if parts[0] == "" {
			parts = parts[1:]
		}
	}
	for i := range parts {
		parts[i] = KeyName(parts[i])
	}
	last := len(parts) - 1
	return parts[:last], parts[last]
}
