package rest

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkEvery is how long a certificate is used before its files are checked
// again.
const checkEvery = 2 * time.Second

// certificate is the certificate of the gateway: two files that may be renewed
// while it runs.
type certificate struct {
	files [2]string // certificate and key
	log   *slog.Logger

	mu      sync.Mutex
	loaded  *tls.Certificate
	seen    [2]time.Time // when the files of loaded were written
	tried   [2]time.Time // when the files that were read last were written
	checked time.Time
}

// TLS returns the configuration of a server with the certificate and the key in
// two PEM files, with TLS 1.2 at least. Changed files are read again within
// seconds. Until they match each other, the previous certificate is used. Files
// that cannot be read now are an error.
func TLS(cert, key string, log *slog.Logger) (*tls.Config, error) {
	c := &certificate{files: [2]string{cert, key}, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("cannot read the certificate of server.tls: %w", err)
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}, nil
}

// current returns the certificate to use now.
func (c *certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < checkEvery {
		return c.loaded
	}
	c.checked = time.Now()
	written, err := c.written()
	if err == nil && written == c.seen {
		return c.loaded
	}
	if err == nil {
		err = c.load()
	}
	if err != nil && written != c.tried { // once for each change
		c.log.Error("the certificate has changed and cannot be read; the one before is used", "error", err)
	}
	c.tried = written
	return c.loaded
}

// load reads the files. The caller holds c.mu, or is the only user of c.
func (c *certificate) load() error {
	written, err := c.written() // before they are read, so that a change in between is noticed the next time
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return err
	}
	c.loaded, c.seen, c.checked = &pair, written, time.Now()
	return nil
}

func (c *certificate) written() (at [2]time.Time, err error) {
	for i, file := range c.files {
		info, err := os.Stat(file)
		if err != nil {
			return at, err
		}
		at[i] = info.ModTime()
	}
	return at, nil
}
