package memoryd

import (
	"cmp"
	"crypto/tls"
	"os"
	"time"
)

const (
	defaultTimeout        = 10 * time.Second
	defaultConnectTimeout = 5 * time.Second
)

// Option is what a client may be told when it is made.
type Option func(*settings) error

type settings struct {
	token          string
	origin         string
	tls            *tls.Config
	timeout        time.Duration
	connectTimeout time.Duration
}

func settingsOf(options []Option) (settings, error) {
	chosen := settings{timeout: defaultTimeout, connectTimeout: defaultConnectTimeout}
	for _, option := range options {
		if err := option(&chosen); err != nil {
			return settings{}, err
		}
	}
	chosen.token = cmp.Or(chosen.token, os.Getenv("MEMORYD_TOKEN"))
	return chosen, nil
}

// headers are what every call carries.
func (s settings) headers() headers {
	carried := headers{}
	if s.token != "" {
		carried["authorization"] = "Bearer " + s.token
	}
	if s.origin != "" {
		carried["memoryd-origin"] = s.origin
	}
	return carried
}

// WithToken sets the bearer token. Without it, or when it is empty, MEMORYD_TOKEN is used if there is one.
func WithToken(token string) Option {
	return func(s *settings) error {
		s.token = token
		return nil
	}
}

// WithOrigin sets a name for this writer, which its events carry.
func WithOrigin(origin string) Option {
	return func(s *settings) error {
		s.origin = origin
		return nil
	}
}

// WithTLS speaks TLS with these files; the zero TLS trusts the machine's certificates.
func WithTLS(files TLS) Option {
	return func(s *settings) error {
		config, err := files.config()
		s.tls = config
		return err
	}
}

// WithTLSConfig speaks TLS as config says; nil trusts the machine's certificates.
func WithTLSConfig(config *tls.Config) Option {
	return func(s *settings) error {
		s.tls = cmp.Or(config.Clone(), &tls.Config{MinVersion: tls.VersionTLS12})
		return nil
	}
}

// WithTimeout sets how long a call may take with all its attempts when its context has no deadline; 10 s by default.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.timeout = timeout
		return nil
	}
}

// WithConnectTimeout sets for how long a daemon that was never heard from is tried again; 5 s by default.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.connectTimeout = timeout
		return nil
	}
}
