package memoryd

import (
	"context"
	"crypto/rand"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// caller performs all calls of one client. It is a gRPC interceptor, so that the calls on stubs are among them.
type caller struct {
	target         string
	timeout        time.Duration
	connectTimeout time.Duration
	// heard is true once the daemon has responded to any call.
	heard atomic.Bool
	// near are the near caches, which the writes of the client wait for.
	near nearCopies
	// batcher sends calls together; nil unless the client does so.
	batcher *batcher
	// closing is cancelled when the client is closed.
	closing context.Context
	close   context.CancelFunc
}

func newCaller(target string, settings settings) *caller {
	closing, stop := context.WithCancel(context.Background())
	return &caller{
		target:         target,
		timeout:        settings.timeout,
		connectTimeout: settings.connectTimeout,
		closing:        closing,
		close:          stop,
	}
}

func (c *caller) unary(
	ctx context.Context, method string, request, reply any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	ctx, cancel := withDefaultTimeout(ctx, c.timeout)
	defer cancel()
	request = withRequestID(request)
	c.batcher.waitBefore(ctx, request)
	attempts := c.attempts(ctx)
	write := c.near.begin(method, request)
	for {
		if err := c.ended(ctx); err != nil {
			return err
		}
		err := invoke(ctx, method, request, reply, conn, options...)
		if err == nil {
			c.heard.Store(true)
			write.end(ctx, reply)
			return nil
		}
		failed := c.failure(err)
		delay, again := attempts.next(failed, time.Now())
		if !again || !repeatable(method) || ctx.Err() != nil {
			return failed
		}
		if !c.sleep(ctx, delay) {
			return failed
		}
	}
}

func (c *caller) stream(
	ctx context.Context, description *grpc.StreamDesc,
	conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	if err := c.ended(ctx); err != nil {
		return nil, err
	}
	opened, err := open(ctx, description, conn, method, options...)
	if err != nil {
		return nil, c.failure(err)
	}
	return &stream{opened, c}, nil
}

// stream is a stream whose errors are this package's.
type stream struct {
	grpc.ClientStream
	caller *caller
}

func (s *stream) RecvMsg(message any) error {
	err := s.ClientStream.RecvMsg(message)
	if err == nil {
		s.caller.heard.Store(true)
	}
	return s.failure(err)
}

func (s *stream) SendMsg(message any) error {
	return s.failure(s.ClientStream.SendMsg(message))
}

func (s *stream) failure(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return s.caller.failure(err)
}

func (c *caller) attempts(ctx context.Context) *attempts {
	begin := time.Now()
	deadline, _ := ctx.Deadline()
	if !c.heard.Load() {
		if patience := begin.Add(c.connectTimeout); patience.Before(deadline) {
			deadline = patience
		}
	}
	return &attempts{deadline: deadline, jitter: jitter}
}

func (c *caller) failure(err error) *Error {
	answered, _ := status.FromError(err)
	failed := errorFrom(answered, c.target)
	// Only the daemon sets a reason: an error without one may come from the connection.
	if failed.Reason != "" {
		c.heard.Store(true)
	}
	return failed
}

// repeatable reports whether a failed call may be sent again, which the idempotency level in the method's proto
// specifies. The method is a path such as "/memoryd.v1.AgentService/GetAgent".
func repeatable(method string) bool {
	return idempotency(method) != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}

// readsOnly reports whether a method changes nothing.
func readsOnly(method string) bool {
	return idempotency(method) == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
}

func idempotency(method string) descriptorpb.MethodOptions_IdempotencyLevel {
	name := strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
	}
	options, _ := found.Options().(*descriptorpb.MethodOptions)
	return options.GetIdempotencyLevel()
}

// withDefaultTimeout adds the timeout to a context that has no deadline.
func withDefaultTimeout(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if _, bounded := ctx.Deadline(); bounded {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}

// withRequestID returns a request that is safe to repeat: a change gets an id unless it has one. The id is set in a
// copy, because the caller may use the message again for another change.
func withRequestID(request any) any {
	message, isMessage := request.(proto.Message)
	if !isMessage {
		return request
	}
	field := requestIDField(message)
	if field == nil || message.ProtoReflect().Has(field) {
		return request
	}
	change := proto.Clone(message)
	change.ProtoReflect().Set(field, protoreflect.ValueOfString(rand.Text()))
	return change
}

func requestIDField(message proto.Message) protoreflect.FieldDescriptor {
	return message.ProtoReflect().Descriptor().Fields().ByName("request_id")
}

// sleep waits for the delay, or until the context ends or the client is closed. It returns false once the retries of the
// call are over.
func (c *caller) sleep(ctx context.Context, delay time.Duration) bool {
	over := retriesOver(ctx)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-c.closing.Done():
	case <-over.Done():
	}
	return over.Err() == nil
}

type retryingUntilKey struct{}

// retryingUntil returns a context whose calls are not retried once another context has ended. An attempt that has begun
// is not cancelled.
func retryingUntil(ctx, over context.Context) context.Context {
	return context.WithValue(ctx, retryingUntilKey{}, over)
}

// retriesOver returns the context after whose end the calls of a context are not retried.
func retriesOver(ctx context.Context) context.Context {
	if over, isBounded := ctx.Value(retryingUntilKey{}).(context.Context); isBounded {
		return over
	}
	return context.Background()
}

// ended returns an error if the context has ended or the client is closed, else nil.
func (c *caller) ended(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return c.failure(status.FromContextError(ctx.Err()).Err())
	case c.closing.Err() != nil:
		return c.failure(status.Error(codes.Canceled, "the client is closed"))
	}
	return nil
}
