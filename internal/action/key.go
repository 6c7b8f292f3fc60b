package action

import "strings"

// keyNames are the names of keys that KeyboardEvent.key has, and other names of some, by
// their lower case.
var keyNames = func() map[string]string {
	names := map[string]string{
		"ctrl": "Control", "cmd": "Meta", "command": "Meta", "win": "Meta", "super": "Meta", "option": "Alt", "opt": "Alt", "return": "Enter",
		"esc": "Escape", "del": "Delete", "ins": "Insert", "space": " ", "spacebar": " ", "up": "ArrowUp", "down": "ArrowDown",
		"left": "ArrowLeft", "right": "ArrowRight", "controlormeta": "Control", "pgup": "PageUp", "pgdn": "PageDown",
	}
	for name := range strings.FieldsSeq(`Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown ArrowLeft ArrowUp ArrowRight ArrowDown CapsLock NumLock
		ScrollLock Pause PrintScreen ContextMenu Shift Control Alt AltGraph Meta F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12`) {
		names[strings.ToLower(name)] = name
	}
	return names
}()

// KeyName returns the name of a key as KeyboardEvent.key has it, for a name in any case and
// with spaces around it. Other names, and characters, are returned as they are.
func KeyName(name string) string {
	plain := strings.TrimSpace(name)
	if key, known := keyNames[strings.ToLower(plain)]; known {
		return key
	}
	if plain == "" { // the space itself
		return name
	}
	return plain
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
