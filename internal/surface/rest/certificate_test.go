package rest_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// issue writes a certificate for 127.0.0.1 with this serial number into two
// files of dir with a given modification time.
func issue(t *testing.T, dir string, serial int64, written time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "gateway"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), written)
	put(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), written)
	return cert, key
}

func put(t *testing.T, file string, data []byte, written time.Time) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, written, written); err != nil {
		t.Fatal(err)
	}
}

func TestARenewedCertificateIsUsedWithoutARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, log := t.TempDir(), &bytes.Buffer{}
		epoch := time.Now()
		cert, key := issue(t, dir, 1, epoch)
		config, err := rest.TLS(cert, key, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		want := func(serial int64, when string) {
			t.Helper()
			got, err := config.GetCertificate(nil)
			if err != nil || got.Leaf.SerialNumber.Int64() != serial {
				t.Errorf("%s: %v, %v", when, got.Leaf.SerialNumber, err)
			}
		}
		issue(t, dir, 2, epoch.Add(time.Minute))
		want(1, "at once")
		time.Sleep(2 * time.Second) // synthetic clock
		want(2, "after a while")
		put(t, key, []byte("half writ"), epoch.Add(2*time.Minute))
		for range 3 {
			time.Sleep(2 * time.Second)
			want(2, "while it is written")
		}
		if n := strings.Count(log.String(), "cannot be read"); n != 1 {
			t.Errorf("logged %d times: %s", n, log)
		}
		issue(t, dir, 3, epoch.Add(3*time.Minute))
		time.Sleep(2 * time.Second)
		want(3, "when it is whole")
		if err := os.Remove(cert); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		want(3, "when it is gone")
	})
}

func TestWhatIsNoCertificateIsRefused(t *testing.T) {
	dir := t.TempDir()
	cert, key := issue(t, dir, 1, time.Now())
	for _, pair := range [][2]string{{key, cert}, {cert, cert}, {cert, filepath.Join(dir, "none")}} {
		if _, err := rest.TLS(pair[0], pair[1], slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%v were taken", pair)
		}
	}
}

func TestOverTLSOnlyTLSIsSpoken(t *testing.T) {
	cert, key := issue(t, t.TempDir(), 1, time.Now())
	config, err := rest.TLS(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := rest.NewServer(build(t, refusing()).handler, slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	go func() { done <- server.Serve(tls.NewListener(inner, config)) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	trusted, pool := &http.Transport{}, x509.NewCertPool()
	data, _ := os.ReadFile(cert)
	pool.AppendCertsFromPEM(data)
	trusted.TLSClientConfig = &tls.Config{RootCAs: pool}
	t.Cleanup(trusted.CloseIdleConnections)
	address := inner.Addr().String()

	res, err := (&http.Client{Transport: trusted}).Get("https://" + address + "/json/version")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.ProtoMajor != 1 || !strings.Contains(string(body), "wss://"+address) {
		t.Errorf("%s %s", res.Proto, body)
	}
	old := &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11}
	if conn, err := tls.Dial("tcp", address, old); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
	res, err = http.Get("http://" + address + "/v1/health")
	if err != nil {
		t.Fatal(err)
	}
	body, _ = io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "HTTPS") {
		t.Errorf("in the clear: %d %s", res.StatusCode, body)
	}
}
