package memoryd

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const messageBytesMax = 64 << 20

func dial(target string, settings settings, caller *caller) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if settings.tls != nil {
		transport = credentials.NewTLS(settings.tls)
	}
	var carried credentials.PerRPCCredentials = settings.headers()
	isExposed := settings.token != "" && settings.tls == nil && !settings.insecureToken && !isThisMachine(target)
	if isExposed {
		carried = secretHeaders{settings.headers()}
	}
	options := append([]grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithPerRPCCredentials(carried),
		// The daemon refuses versions with which it does not work.
		grpc.WithUserAgent("memoryd-go/" + version),
		grpc.WithUnaryInterceptor(caller.unary),
		grpc.WithStreamInterceptor(caller.stream),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(messageBytesMax),
			grpc.MaxCallSendMsgSize(messageBytesMax),
		),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time:                20 * time.Second,
			Timeout:             10 * time.Second,
			PermitWithoutStream: true,
		}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay:  100 * time.Millisecond,
				Multiplier: 2,
				Jitter:     0.2,
				MaxDelay:   time.Second,
			},
			// The timeout of one attempt to connect.
			MinConnectTimeout: max(time.Second, settings.connectTimeout),
		}),
		// The daemon runs near its client: never go through a web proxy, and take no service config from DNS.
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
	}, settings.dialOptions...)
	conn, err := grpc.NewClient(target, options...)
	// The options of the caller may have transport credentials, with which gRPC accepts secret headers.
	if err != nil && isExposed {
		const message = "%w: the token would be sent to %s in the clear: use TLS, or allow it by WithInsecureToken: %w"
		return nil, fmt.Errorf(message, ErrInvalidTarget, target, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrInvalidTarget, target, err)
	}
	return conn, nil
}

// headers implements credentials.PerRPCCredentials, so that every call carries them, also on streams and stubs.
type headers map[string]string

func (h headers) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return h, nil
}

// RequireTransportSecurity returns false: these headers may be sent without TLS.
func (h headers) RequireTransportSecurity() bool {
	return false
}

// secretHeaders are headers that are never sent without TLS.
type secretHeaders struct {
	headers
}

// RequireTransportSecurity returns true, which makes gRPC refuse them without TLS.
func (h secretHeaders) RequireTransportSecurity() bool {
	return true
}
