package memoryd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS names the files (PEM) with which to speak TLS, and the server's name. All are optional.
type TLS struct {
	// CAFile holds the certificates to trust instead of the machine's own.
	CAFile string
	// CertFile and KeyFile are the client's own certificate and key, for mutual TLS.
	CertFile string
	KeyFile  string
	// ServerName is the name to expect in the server's certificate when it is not the target's host.
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
		return nil, errors.New(path + " holds no certificate")
	}
	return roots, nil
}
