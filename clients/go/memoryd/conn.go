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
	options := append([]grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithPerRPCCredentials(settings.headers()),
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

// RequireTransportSecurity returns false because the daemon decides: on the local host it accepts tokens without TLS.
func (h headers) RequireTransportSecurity() bool {
	return false
}
