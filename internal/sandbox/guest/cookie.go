package guest

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

const (
	anyDisplay = 0xffff               // family FamilyWild of Xauthority entries
	cookieName = "MIT-MAGIC-COOKIE-1" // xsecurity(7)
	cookieSize = 16                   // bytes
)

// cookie is the file that opens the display, empty where nobody but the box's
// own programs can reach it.
func (c Config) cookie() string {
	if !c.Shared {
		return ""
	}
	return filepath.Join(c.Dir, "display.cookie")
}

// writeCookie makes a new cookie for a display: one entry, in the format of
// Xauthority(7), that fits every display.
func (c Config) writeCookie() error {
	path := c.cookie()
	if path == "" {
		return nil
	}
	key := make([]byte, cookieSize)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	entry := binary.BigEndian.AppendUint16(nil, anyDisplay)
	for _, field := range [][]byte{nil, nil, []byte(cookieName), key} { // address, number, name, data
		entry = binary.BigEndian.AppendUint16(entry, uint16(len(field)))
		entry = append(entry, field...)
	}
	if err := os.WriteFile(path, entry, 0o600); err != nil {
		return fmt.Errorf("cannot write the display's cookie: %w", err)
	}
	if os.Getuid() == 0 {
		return os.Chown(path, c.UID, c.UID)
	}
	return nil
}
