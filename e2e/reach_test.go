package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// signer is an authority of a private network.
type signer struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newSigner makes one that signs itself.
func newSigner(t *testing.T) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Private network"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{made, key}
}

// pem is the certificate as a file has it.
func (s *signer) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.certificate.Raw})
}

// serve serves a page over TLS on loopback, see serveOn.
func (s *signer) serve(t *testing.T, host, title string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return s.serveOn(t, listener, host, title)
}

// serveOn serves a page over TLS with a certificate for a host, signed by s, or by
// itself where s is nil. It returns host:port.
func (s *signer) serveOn(t *testing.T, listener net.Listener, host, title string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	parent, by := template, key
	if s != nil {
		parent, by = s.certificate, s.key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>%s</title><p>%s", title, title)
	}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	_ = server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return host + listener.Addr().String()[strings.LastIndex(listener.Addr().String(), ":"):]
}

// reaching are the settings of a gateway whose sessions may open these hosts.
func reaching(hosts ...string) settings {
	return settings{warmPool: 1, env: []string{"GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=" + strings.Join(hosts, ",")}}
}

// TestPrivateCertificates opens hosts with certificates of the configured
// authority, and named hosts with self-signed ones; others are refused. The
// gateway does not start with a file that contains no authority.
func TestPrivateCertificates(t *testing.T) {
	testenv.Heavy(t)
	known, stranger := newSigner(t), newSigner(t)
	signed, foreign := known.serve(t, "signed.localhost", "signed"), stranger.serve(t, "foreign.localhost", "foreign")
	own, unlisted := (*signer)(nil).serve(t, "own.localhost", "own"), (*signer)(nil).serve(t, "unlisted.localhost", "unlisted")
	misnamed := "misnamed.localhost" + signed[strings.LastIndex(signed, ":"):]
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, known.pem(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := reaching(signed, foreign, own, unlisted, misnamed)
	s.env = append(s.env, "GLOVEBOX_SECURITY_NETWORK_CA_FILE="+file, "GLOVEBOX_SECURITY_NETWORK_ALLOW_SELF_SIGNED="+own)
	g := start(t, s)
	agent := g.curl(t, "agent")
	base := "/v1/sessions/" + agent.open(`{"name": "private"}`) + "/browser/"
	for host, title := range map[string]string{signed: "signed", own: "own"} {
		got := agent.post(base+"navigate", `{"url": "https://`+host+`/"}`).object(http.StatusOK)
		if got["title"] != title {
			t.Errorf("%s: %v", host, got)
		}
	}
	for host, code := range map[string]string{foreign: "CERT_AUTHORITY_INVALID", unlisted: "CERT_AUTHORITY_INVALID", misnamed: "CERT_COMMON_NAME_INVALID"} {
		text := toJSON(t, agent.post(base+"navigate", `{"url": "https://`+host+`/"}`).problem(fault.NavigationFailed))
		if !strings.Contains(text, code) || code == "CERT_AUTHORITY_INVALID" && !strings.Contains(text, "security.network.ca_file") {
			t.Errorf("%s: %s", host, text)
		}
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, complaint, status := g.command(t, "config", "check", "--config", g.config)
	if status == 0 || !strings.Contains(out+complaint, "security.network.ca_file") {
		t.Errorf("config check ended with %d:\n%s%s", status, out, complaint)
	}
}
