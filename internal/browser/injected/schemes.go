package injected

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ownSchemes are those of the addresses that a browser opens, or refuses to open, itself.
var ownSchemes = []string{
	"about", "blob", "chrome", "chrome-error", "chrome-extension", "chrome-untrusted", "data", "devtools", "file",
	"filesystem", "http", "https", "javascript", "view-source",
}

// LeavesBrowser reports whether a browser passes an address to another program of the
// machine, as it does with mailto:, tel:, and the schemes of applications.
func LeavesBrowser(address string) bool {
	scheme, _, has := strings.Cut(address, ":")
	return has && !slices.Contains(ownSchemes, strings.ToLower(scheme))
}

// KeepPageScript returns the script that lets a document stay when it leads to such an
// address. It runs after Source.
func KeepPageScript() string {
	list, _ := json.Marshal(ownSchemes) // texts can always be encoded
	arg, _ := json.Marshal(string(list))
	return fmt.Sprintf("\n__glovebox.run('keepPage', %s)", arg)
}
