package memoryd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAMissingTLSFileIsAnInvalidTarget(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nothing.pem")
	for _, files := range []TLS{{CAFile: nowhere}, {CertFile: nowhere, KeyFile: nowhere}} {
		_, err := NewClient("localhost:1", WithTLS(files))
		if !errors.Is(err, ErrInvalidTarget) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", files, err)
		}
	}
}

func TestACertificateNeedsItsKey(t *testing.T) {
	if _, err := NewClient("localhost:1", WithTLS(TLS{CertFile: "certificate.pem"})); !errors.Is(err, ErrInvalidTarget) {
		t.Errorf("it is %v", err)
	}
}

func TestACAFileWithoutACertificateIsAnInvalidTarget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(path, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewClient("localhost:1", WithTLS(TLS{CAFile: path})); !errors.Is(err, ErrInvalidTarget) {
		t.Errorf("it is %v", err)
	}
}

func TestAServerNameIsVerifiedInsteadOfTheHost(t *testing.T) {
	config, err := TLS{ServerName: "memory.example"}.config()
	if err != nil || config.ServerName != "memory.example" || config.InsecureSkipVerify {
		t.Errorf("it is %+v, %v", config, err)
	}
}

func TestANilTLSConfigEnablesTLS(t *testing.T) {
	if chosen, err := settingsOf([]Option{WithTLSConfig(nil)}); err != nil || chosen.tls == nil {
		t.Errorf("it is %+v, %v", chosen, err)
	}
}
