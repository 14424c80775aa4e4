package memoryd

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

var leasedFragments = map[string]proto.Message{
	"LeaseFragments": &memorydv1.LeaseFragmentsResponse{
		LeaseToken: "token", Fragments: []*memorydv1.Fragment{{FragmentId: "f"}},
	},
}

func TestAConsumerThatIsClosedWhileItLeasesReleasesWhatItReceives(t *testing.T) {
	daemon := startRecordingDaemon(t, leasedFragments)
	leasing, answer := make(chan struct{}), make(chan struct{})
	// The response arrives after the consumer is closed.
	late := func(
		ctx context.Context, method string, request, reply any,
		conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		if method == memorydv1.FragmentService_LeaseFragments_FullMethodName {
			close(leasing)
			<-answer
		}
		return invoke(ctx, method, request, reply, conn, options...)
	}
	client := daemon.connect(t, WithDialOptions(grpc.WithChainUnaryInterceptor(late)))
	handler := func(context.Context, []*memorydv1.Fragment) error {
		t.Error("they are handled")
		return nil
	}
	consumer := client.Agent("a").Fragments().OnFlush(t.Context(), handler, nil)
	<-leasing
	consumer.close()
	close(answer)
	if err := consumer.Wait(); err != nil {
		t.Error(err)
	}
	if token := requestOf[*memorydv1.ReleaseFragmentsRequest](t, daemon).GetLeaseToken(); token != "token" {
		t.Errorf("it releases %q", token)
	}
}

func TestNoCallIsTriedAgainOnceAConsumerIsClosed(t *testing.T) {
	failed := make(chan struct{}, 100)
	refuse := func(
		context.Context, string, any, any, *grpc.ClientConn, grpc.UnaryInvoker, ...grpc.CallOption,
	) error {
		failed <- struct{}{}
		return refusal(codes.Unavailable, "ERROR_REASON_DRAINING", retryAfter(time.Hour))
	}
	client := startFakeDaemon(t).connect(t, WithTimeout(2*time.Hour), WithConnectTimeout(2*time.Hour),
		WithDialOptions(grpc.WithChainUnaryInterceptor(refuse)))
	consumer := client.Agent("a").Fragments().OnFlush(t.Context(), nil, nil)
	<-failed
	if err := consumer.Close(); err != nil || len(failed) != 0 {
		t.Errorf("it ends with %v after %d more attempts", err, len(failed))
	}
}

func TestAHandlerIsNotCancelledByClosingItsConsumer(t *testing.T) {
	daemon := startRecordingDaemon(t, leasedFragments)
	handling, finish := make(chan context.Context), make(chan struct{})
	handler := func(ctx context.Context, _ []*memorydv1.Fragment) error {
		handling <- ctx
		<-finish
		return nil
	}
	consumer := daemon.connect(t).Agent("a").Fragments().OnFlush(t.Context(), handler, nil)
	ctx := <-handling
	consumer.close()
	if ctx.Err() != nil {
		t.Errorf("it ended by %v", ctx.Err())
	}
	close(finish)
	if err := consumer.Wait(); err != nil {
		t.Error(err)
	}
	if token := requestOf[*memorydv1.AcknowledgeFragmentsRequest](t, daemon).GetLeaseToken(); token != "token" {
		t.Errorf("it acknowledges %q", token)
	}
	if _, released := lastRequestOf[*memorydv1.ReleaseFragmentsRequest](daemon); released {
		t.Error("they are released")
	}
}

func TestAFailedHandlersFragmentsAreReleased(t *testing.T) {
	daemon := startRecordingDaemon(t, leasedFragments)
	failures, failure := make(chan error, 10), errors.New("no")
	handler := func(context.Context, []*memorydv1.Fragment) error { return failure }
	options := &ConsumerOptions{OnError: func(err error) { failures <- err }}
	consumer := daemon.connect(t).Agent("a").Fragments().OnFlush(t.Context(), handler, options)
	if err := <-failures; err != failure {
		t.Errorf("it is %v", err)
	}
	if err := consumer.Close(); err != nil {
		t.Error(err)
	}
	requestOf[*memorydv1.ReleaseFragmentsRequest](t, daemon)
	if _, acknowledged := lastRequestOf[*memorydv1.AcknowledgeFragmentsRequest](daemon); acknowledged {
		t.Error("they are acknowledged")
	}
}
