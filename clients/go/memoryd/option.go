package memoryd

import (
	"cmp"
	"crypto/tls"
	"os"
	"time"

	"google.golang.org/grpc"
)

const (
	defaultTimeout        = 10 * time.Second
	defaultConnectTimeout = 5 * time.Second
)

// Option is an option of [NewClient].
type Option func(*settings) error

type settings struct {
	token          string
	origin         string
	tls            *tls.Config
	insecureToken  bool
	timeout        time.Duration
	connectTimeout time.Duration
	dialOptions    []grpc.DialOption
	// batchingWindow is nil if calls are not batched.
	batchingWindow *time.Duration
}

func settingsOf(options []Option) (settings, error) {
	chosen := settings{timeout: defaultTimeout, connectTimeout: defaultConnectTimeout}
	for _, option := range options {
		if err := option(&chosen); err != nil {
			return settings{}, err
		}
	}
	if window := chosen.batchingWindow; window != nil && (*window < 0 || *window > chosen.timeout) {
		return settings{}, invalidArgument("the window of batching must be from 0 to the timeout of a call, not %s", *window)
	}
	chosen.token = cmp.Or(chosen.token, os.Getenv("MEMORYD_TOKEN"))
	return chosen, nil
}

// headers returns the headers that every call carries.
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

// WithToken sets the bearer token. Without it, or if it is empty, MEMORYD_TOKEN is used if it is set.
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

// WithTLS enables TLS with these files. The zero TLS trusts the machine's certificates.
func WithTLS(files TLS) Option {
	return func(s *settings) error {
		config, err := files.config()
		s.tls = config
		return err
	}
}

// WithTLSConfig enables TLS with this configuration. Nil trusts the machine's certificates.
func WithTLSConfig(config *tls.Config) Option {
	return func(s *settings) error {
		s.tls = cmp.Or(config.Clone(), &tls.Config{MinVersion: tls.VersionTLS12})
		return nil
	}
}

// WithInsecureToken allows sending the token to another machine without TLS, as over a network that encrypts by itself.
// Without it, [NewClient] returns ErrInvalidTarget.
func WithInsecureToken() Option {
	return func(s *settings) error {
		s.insecureToken = true
		return nil
	}
}

// WithTimeout sets the timeout of a call with all its retries, for contexts without a deadline; 10 s by default.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.timeout = timeout
		return nil
	}
}

// WithConnectTimeout limits the retries while no call has reached the daemon yet; 5 s by default.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.connectTimeout = timeout
		return nil
	}
}

// WithDialOptions adds options of gRPC, such as the stats handler of OpenTelemetry or interceptors. Interceptors are
// chained: those of grpc.WithChainUnaryInterceptor see each attempt of a call, with the errors of gRPC.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) error {
		s.dialOptions = append(s.dialOptions, options...)
		return nil
	}
}
