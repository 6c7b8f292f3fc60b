package source

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const maxResponse = maxDocument + 64<<10 // bytes: a document and the JSON around it

// HashiCorp names a server with a KV store of version 2, and how to log in.
type HashiCorp struct {
	Address   string      // https://vault.example.com:8200
	Namespace string      // none when empty
	Mount     string      // of the store; the first element of each path when empty
	Token     LoginSecret // unless RoleID is given
	RoleID    string      // an AppRole to log in as
	RoleMount string      // where AppRole is mounted
	SecretID  LoginSecret // of the AppRole

	CA         string // PEM file of certificate authorities; the machine's when empty
	ServerName string // in the certificate; the host of the address when empty
}

// LoginSecret is a secret that logs in at the server: Given or, where that is empty,
// the content of File, which is read each time it is needed.
type LoginSecret struct{ Given, File string }

// read returns the secret. No fault contains it.
func (o LoginSecret) read(what string) (string, error) {
	text := o.Given
	if text == "" && o.File != "" {
		data, err := os.ReadFile(o.File)
		if err != nil {
			return "", fault.New(fault.CredentialsUnavailable, "the file of the vault's %s cannot be read", what).
				Hinted("make %s readable for the gateway", o.File).Because(err)
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fault.New(fault.CredentialsUnavailable, "there is no %s for the vault", what).
			Hinted("see security.credentials.vault in docs/credentials.md")
	}
	return text, nil
}

// hashicorp is a source that calls the documented HTTP API of a server.
type hashicorp struct {
	o      HashiCorp
	base   *url.URL
	client *http.Client

	mu    sync.Mutex // of lease
	lease *lease
	login chan struct{} // a lock that can be waited for with a context: one caller logs in at a time

	life     context.Context // of the goroutine that renews the lease
	end      context.CancelFunc
	start    sync.Once
	changed  chan struct{} // gets a value when the lease was replaced
	renewals sync.WaitGroup
}

// Connect makes a source of a server. It does not call the server before the first
// look-up. Faults: invalid_request.
func Connect(o HashiCorp) (Source, error) {
	base, err := url.Parse(strings.TrimSuffix(o.Address, "/"))
	if err != nil || base.Host == "" {
		return nil, fault.New(fault.InvalidRequest, "security.credentials.vault.address is no address").Hinted("write one like https://vault.example.com:8200")
	}
	security := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: o.ServerName}
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		security.RootCAs = x509.NewCertPool()
		if err != nil || !security.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fault.New(fault.InvalidRequest, "security.credentials.vault.ca_file has no certificates").
				Hinted("give a PEM file that the gateway can read: %s", o.CA).Because(err)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, transport.MaxResponseHeaderBytes = security, 64<<10
	h := &hashicorp{
		o: o, base: base, login: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		// Redirects are not followed: the token is for this address alone.
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h, nil
}

// Name implements Source.
func (h *hashicorp) Name() string { return "the vault at " + h.base.Host }

// Close ends the renewal of the token, and waits for it.
func (h *hashicorp) Close(context.Context) error {
	h.end()
	h.renewals.Wait()
	h.client.CloseIdleConnections()
	return nil
}

// Fetch reads the newest version of a secret (GET :mount/data/:path).
func (h *hashicorp) Fetch(ctx context.Context, path string) (Document, error) {
	var got struct {
		Data struct {
			Data     json.RawMessage `json:"data"`
			Metadata struct {
				Version int       `json:"version"`
				Created time.Time `json:"created_time"`
			} `json:"metadata"`
		} `json:"data"`
	}
	found, err := h.call(ctx, http.MethodGet, "data", path, nil, &got)
	if err != nil || !found || string(got.Data.Data) == "null" {
		return Document{}, err
	}
	if got.Data.Data == nil || got.Data.Metadata.Version == 0 {
		return Document{}, h.unexpected("what is no secret of a KV store of version 2")
	}
	m := got.Data.Metadata
	return Document{Text: got.Data.Data, Version: fmt.Sprintf("%d of %s", m.Version, m.Created.Format(time.RFC3339Nano)), Changed: m.Created}, nil
}

// List returns the paths of the secrets directly below a prefix (LIST
// :mount/metadata/:path).
func (h *hashicorp) List(ctx context.Context, prefix string) ([]string, error) {
	var got struct {
		Data struct {
			Keys []string `json:"keys"`
		} `json:"data"`
	}
	if _, err := h.call(ctx, "LIST", "metadata", prefix, nil, &got); err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range got.Data.Keys {
		if !strings.HasSuffix(name, "/") {
			paths = append(paths, prefix+name)
		}
	}
	return paths, nil
}

// Store writes a new version of a secret (POST :mount/data/:path).
func (h *hashicorp) Store(ctx context.Context, path string, text []byte) error {
	found, err := h.call(ctx, http.MethodPost, "data", path, map[string]json.RawMessage{"data": text}, nil)
	if err == nil && !found {
		err = h.unexpected("that there is no such place")
	}
	return err
}

// Drop deletes the newest version of a secret; the server can restore it (DELETE
// :mount/data/:path).
func (h *hashicorp) Drop(ctx context.Context, path string) (bool, error) {
	there, err := h.Fetch(ctx, path)
	if err != nil || there.Text == nil {
		return false, err
	}
	_, err = h.call(ctx, http.MethodDelete, "data", path, nil, nil)
	return err == nil, err
}

// call makes a request of the store with the token, and again with a new token where
// the first has ended. It reports whether the path exists.
func (h *hashicorp) call(ctx context.Context, method, what, path string, body, into any) (bool, error) {
	mount, rest := h.split(path)
	for retried := false; ; retried = true {
		token, err := h.token(ctx)
		if err != nil {
			return false, err
		}
		status, err := h.request(ctx, method, mount+"/"+what+"/"+rest, token, body, into)
		if status != http.StatusForbidden || retried || !h.dropIfEnded(ctx, token) {
			return status != http.StatusNotFound, err
		}
	}
}

// split splits a path into the mount of the store and the path in the store.
func (h *hashicorp) split(path string) (mount, rest string) {
	if h.o.Mount == "" {
		mount, rest, _ = strings.Cut(path, "/")
		return mount, rest
	}
	mount = strings.Trim(h.o.Mount, "/")
	return mount, strings.TrimPrefix(path, mount+"/")
}

// request makes one request. Status 404 is no error where only the path does not
// exist. The status is 0 where there was no response.
func (h *hashicorp) request(ctx context.Context, method, path, token string, body, into any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, h.unexpected("nothing: what is to be sent is no JSON")
		}
		sent = bytes.NewReader(text)
	}
	at := *h.base
	at.Path += "/v1/" + path
	r, err := http.NewRequestWithContext(ctx, method, at.String(), sent)
	if err != nil {
		return 0, fmt.Errorf("cannot make a request: %w", err)
	}
	r.Header.Set("X-Vault-Request", "true")
	if token != "" {
		r.Header.Set("X-Vault-Token", token)
	}
	if h.o.Namespace != "" {
		r.Header.Set("X-Vault-Namespace", h.o.Namespace)
	}
	response, err := h.client.Do(r)
	if err != nil {
		return 0, h.unreachable(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return 0, h.unreachable(err)
	}
	return response.StatusCode, h.read(response.StatusCode, text, into)
}

// read decodes a response into a value, or returns a fault, which contains nothing of
// the response but its status.
func (h *hashicorp) read(status int, text []byte, into any) error {
	switch {
	case len(text) > maxResponse:
		return h.unexpected("more than 1 MiB")
	case status == http.StatusOK && into != nil:
		if json.Unmarshal(text, into) != nil {
			return h.unexpected("what is no JSON of its API")
		}
		return nil
	case status == http.StatusOK || status == http.StatusNoContent:
		return nil
	case status == http.StatusNotFound:
		return h.checkNotFound(text)
	case status == http.StatusForbidden || status == http.StatusUnauthorized:
		return fault.New(fault.CredentialsUnavailable, "%s refuses the token, or it may not read there", h.Name()).
			Hinted("its policy needs read on the mount's data/… and list on its metadata/…; glovebox doctor tries")
	case status == http.StatusServiceUnavailable:
		return fault.New(fault.CredentialsUnavailable, "%s is sealed, or not ready", h.Name()).Hinted("unseal it: vault operator unseal")
	case status >= 300 && status < 400:
		return h.unexpected("that another address should be asked, which gets no token; give security.credentials.vault.address that one")
	}
	return h.unexpected(fmt.Sprintf("with status %d", status))
}

// checkNotFound reads a response with status 404: it has errors where there is no
// store, and none where there is no secret.
func (h *hashicorp) checkNotFound(text []byte) error {
	var got struct {
		Errors []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(text, &got) != nil {
		return h.unexpected("with status 404, and not as a vault does")
	}
	if len(got.Errors) > 0 {
		return fault.New(fault.CredentialsUnavailable, "%s has no KV store there", h.Name()).
			Hinted("see security.credentials.vault_path, and mount and namespace below security.credentials.vault")
	}
	return nil
}

func (h *hashicorp) unexpected(what string) error {
	return fault.New(fault.CredentialsUnavailable, "%s answers %s", h.Name(), what).Hinted("glovebox doctor tries it again")
}

func (h *hashicorp) unreachable(cause error) error {
	why := "cannot be reached"
	if errors.Is(cause, context.DeadlineExceeded) {
		why = "did not answer in time"
	}
	if trust := (*tls.CertificateVerificationError)(nil); errors.As(cause, &trust) {
		why = "has a certificate that is not trusted"
	}
	return fault.New(fault.CredentialsUnavailable, "%s %s", h.Name(), why).
		Hinted("see that it runs, and address, ca_file and server_name below security.credentials.vault").Because(cause)
}
