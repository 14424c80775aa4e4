package memoryd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS names the PEM files that TLS uses, and the server's name. All are optional.
type TLS struct {
	// CAFile contains the certificates to trust instead of the machine's own.
	CAFile string
	// CertFile and KeyFile are the client's own certificate and key, for mutual TLS.
	CertFile string
	KeyFile  string
	// ServerName is the name to verify in the server's certificate instead of the target's host.
	ServerName string
}

func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{ServerName: t.ServerName, MinVersion: tls.VersionTLS12}
	if t.CAFile != "" {
		roots, err := rootsIn(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%w: the CA file: %w", ErrInvalidTarget, err)
		}
		config.RootCAs = roots
	}
	if t.CertFile != "" || t.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%w: the client's certificate and key: %w", ErrInvalidTarget, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func rootsIn(path string) (*x509.CertPool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, errors.New(path + " contains no certificate")
	}
	return roots, nil
}
