package memoryd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// identity is a certificate with its key, of an authority or signed by one.
type identity struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// certFile and keyFile are the paths of its PEM files.
	certFile, keyFile string
}

func newIdentity(t *testing.T, name string, signer *identity) *identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		DNSNames:              []string{name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  signer == nil,
		BasicConstraintsValid: true,
	}
	parent, signedWith := template, key
	if signer != nil {
		parent, signedWith = signer.certificate, signer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signedWith)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return &identity{certificate, key, writePEM(t, "CERTIFICATE", der), writePEM(t, "EC PRIVATE KEY", keyDER)}
}

func writePEM(t *testing.T, kind string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheServersNameAndTheClientsCertificateAreVerified(t *testing.T) {
	authority := newIdentity(t, "authority", nil)
	stranger := newIdentity(t, "stranger", nil)
	server := newIdentity(t, "memory.example", authority)
	client := newIdentity(t, "client", authority)
	pair, err := tls.LoadX509KeyPair(server.certFile, server.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(authority.certificate)
	daemon := startFakeDaemonWith(t, grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert,
	})))
	good := TLS{
		CAFile: authority.certFile, CertFile: client.certFile, KeyFile: client.keyFile, ServerName: "memory.example",
	}
	otherName, otherCA, noCertificate := good, good, good
	otherName.ServerName = ""
	otherCA.CAFile = stranger.certFile
	noCertificate.CertFile, noCertificate.KeyFile = "", ""
	for files, expected := range map[TLS]error{
		good: nil, otherName: ErrUnavailable, otherCA: ErrUnavailable, noCertificate: ErrUnavailable,
	} {
		agent := daemon.connect(t, WithTLS(files), WithConnectTimeout(200*time.Millisecond)).Agent("a")
		if _, err := agent.Set(t.Context(), "k", 1); !errors.Is(err, expected) {
			t.Errorf("%+v: %v", files, err)
		}
	}
}
