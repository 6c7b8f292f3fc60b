package gateway

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maxAuthorities is the largest number of certificates in
// security.network.ca_file.
const maxAuthorities = 100

// authorities reads the certificates of security.network.ca_file, none if no file
// is configured. Faults: start_failed.
func authorities(c config.Network) ([]*x509.Certificate, error) {
	if c.CAFile == "" {
		return nil, nil
	}
	data, err := os.ReadFile(c.CAFile)
	if err == nil {
		var all []*x509.Certificate
		if all, err = readAuthorities(data); err == nil {
			return all, nil
		}
	}
	return nil, fault.New(fault.StartFailed, "security.network.ca_file: %v", err).
		Hinted("name a PEM file with the certificates of authorities, and nothing else")
}

// readAuthorities parses a PEM file. Errors do not repeat its content.
func readAuthorities(data []byte) (all []*x509.Certificate, err error) {
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		data = rest
		number := len(all) + 1
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("block %d of the file is not a certificate but %q", number, block.Type)
		}
		one, err := x509.ParseCertificate(block.Bytes)
		switch {
		case err != nil:
			return nil, fmt.Errorf("certificate %d of the file cannot be read", number)
		case !one.BasicConstraintsValid || !one.IsCA:
			return nil, fmt.Errorf("certificate %d of the file is not an authority's (basic constraints CA): a host's own belongs in allow_self_signed, by the host's name", number)
		}
		if all = append(all, one); len(all) > maxAuthorities {
			return nil, fmt.Errorf("the file has more than %d certificates", maxAuthorities)
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("the file has no certificate in PEM")
	case len(bytes.TrimSpace(data)) > 0 && bytes.Contains(data, []byte("-----BEGIN")):
		return nil, fmt.Errorf("what follows certificate %d of the file cannot be read", len(all))
	}
	return all, nil
}

// certPool returns what the gateway's own requests for a box trust: the machine's
// authorities and the configured ones. nil means the machine's only.
func certPool(all []*x509.Certificate) (*x509.CertPool, error) {
	if len(all) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fault.New(fault.StartFailed, "the machine's certificates cannot be read").
			Hinted("install ca-certificates").Because(err)
	}
	for _, one := range all {
		pool.AddCert(one)
	}
	return pool, nil
}
