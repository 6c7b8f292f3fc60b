package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/client"
)

// Folder is the one the server works in, which it may read: files that are
// to be uploaded lie there. It is removed with the server.
func (s *Server) Folder() string { return s.family.home }

// Person is the gateway over REST with its operator's token, as a person who
// answers questions has it. Only Glovebox has one.
func (s *Server) Person() (*client.Client, error) {
	if s.gateway == nil {
		return nil, fmt.Errorf("%s has no gateway", s.Kind)
	}
	token, err := os.ReadFile(filepath.Join(s.gateway.state, "operator.token"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the operator's token: %w", err)
	}
	return client.New("http://"+s.gateway.address, strings.TrimSpace(string(token)))
}

// Gateway is where a gateway listens and the folder of its state. Only Glovebox
// has one.
func (s *Server) Gateway() (address, state string) {
	if s.gateway == nil {
		return "", ""
	}
	return s.gateway.address, s.gateway.state
}
