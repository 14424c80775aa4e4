package memoryd

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

var soon = retryAfter(time.Millisecond)

func draining() error { return refusal(codes.Unavailable, "ERROR_REASON_DRAINING", soon) }

func TestACallNamesTheVersionOfTheClient(t *testing.T) {
	daemon := startFakeDaemon(t)
	if _, err := daemon.connect(t).Agent("a").Set(t.Context(), "k", 1); err != nil {
		t.Fatal(err)
	}
	if sent := daemon.headers[0].Get("user-agent"); len(sent) != 1 || !strings.HasPrefix(sent[0], "memoryd-go/"+version+" ") {
		t.Errorf("it is %q", sent)
	}
}

func TestAChangeIsTriedAgainWithTheSameRequestID(t *testing.T) {
	daemon := startFakeDaemon(t, draining(), refusal(codes.Canceled, "", soon), status.Error(codes.Unavailable, "gone"))
	if _, err := daemon.connect(t).Agent("a").Set(t.Context(), "k", 1); err != nil {
		t.Fatal(err)
	}
	if len(daemon.sets) != 4 {
		t.Fatalf("it was tried %d times", len(daemon.sets))
	}
	for _, request := range daemon.sets {
		if id := request.GetRequestId(); id != daemon.sets[0].GetRequestId() || len(id) < 26 || len(id) > 128 {
			t.Errorf("its request id is %q, at first %q", id, daemon.sets[0].GetRequestId())
		}
	}
}

func TestInterceptorsOfTheCallerSeeEachAttempt(t *testing.T) {
	var attempts []codes.Code
	record := func(
		ctx context.Context, method string, request, reply any,
		conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, request, reply, conn, options...)
		attempts = append(attempts, status.Code(err))
		return err
	}
	daemon := startFakeDaemon(t, draining())
	client := daemon.connect(t, WithDialOptions(grpc.WithChainUnaryInterceptor(record)))
	if _, err := client.Agent("a").Set(t.Context(), "k", 1); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(attempts, []codes.Code{codes.Unavailable, codes.OK}) {
		t.Errorf("they are %v", attempts)
	}
}

func TestACallOnAStubIsTriedAgainToo(t *testing.T) {
	daemon := startFakeDaemon(t, draining())
	request := &memorydv1.SetEntryRequest{AgentId: "a", Key: "k"}
	stub := daemon.connect(t).WorkingMemory()
	for range 2 {
		if _, err := stub.SetEntry(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	first, again, other := daemon.sets[0], daemon.sets[1], daemon.sets[2]
	if first.GetRequestId() == "" || first.GetRequestId() != again.GetRequestId() {
		t.Errorf("the attempts of one call have the ids %q and %q", first.GetRequestId(), again.GetRequestId())
	}
	if other.GetRequestId() == first.GetRequestId() || request.GetRequestId() != "" {
		t.Error("the caller's message was changed")
	}
}

func TestARequestIDThatTheCallerSetIsKept(t *testing.T) {
	daemon := startFakeDaemon(t)
	request := &memorydv1.SetEntryRequest{AgentId: "a", Key: "k", RequestId: "mine"}
	if _, err := daemon.connect(t).WorkingMemory().SetEntry(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if id := daemon.sets[0].GetRequestId(); id != "mine" {
		t.Errorf("it is %q", id)
	}
}

func TestARefusalIsNotTriedAgain(t *testing.T) {
	daemon := startFakeDaemon(t, refusal(codes.Aborted, "ERROR_REASON_REVISION_MISMATCH", soon))
	_, err := daemon.connect(t).Agent("a").Set(t.Context(), "k", 1, IfRevision(3))
	if !errors.Is(err, ErrRevisionMismatch) || len(daemon.sets) != 1 {
		t.Errorf("it is %v after %d attempts", err, len(daemon.sets))
	}
}

func TestAChangeOfSnapshotsIsRepeatedWithItsRequestID(t *testing.T) {
	daemon := startFakeDaemon(t, draining())
	_, err := daemon.connect(t).Snapshots().CreateSnapshot(t.Context(), &memorydv1.CreateSnapshotRequest{})
	if err != nil || len(daemon.creates) != 2 {
		t.Fatalf("it is %v after %d attempts", err, len(daemon.creates))
	}
	if id := daemon.creates[0].GetRequestId(); id == "" || daemon.creates[1].GetRequestId() != id {
		t.Errorf("they are %v", daemon.creates)
	}
}

func TestAllMethodsMayBeRepeatedButStreams(t *testing.T) {
	protoregistry.GlobalFiles.RangeFilesByPackage("memoryd.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				method := service.Methods().Get(j)
				stream := method.IsStreamingClient() || method.IsStreamingServer()
				if repeatable("/"+string(service.FullName())+"/"+string(method.Name())) == stream {
					t.Errorf("%s is wrong", method.FullName())
				}
			}
		}
		return true
	})
}

func TestAnUnknownMethodIsNotRepeated(t *testing.T) {
	for _, method := range []string{"/memoryd.v1.AgentService/Unknown", "/memoryd.v1.AgentService", "", "/"} {
		if repeatable(method) {
			t.Errorf("%q is", method)
		}
	}
}

func TestACallEndsAfterTheClientsTimeout(t *testing.T) {
	client := startFakeDaemon(t).connect(t, WithTimeout(50*time.Millisecond))
	_, _, err := client.Agent("a").GetEntry(context.Background(), "k")
	if !errors.Is(err, ErrDeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it is %v", err)
	}
}

func TestTheDeadlineOfAContextReplacesTheTimeout(t *testing.T) {
	client := startFakeDaemon(t).connect(t, WithTimeout(time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := client.Agent("a").GetEntry(ctx, "k"); !errors.Is(err, ErrDeadlineExceeded) {
		t.Errorf("it is %v", err)
	}
}

func TestACallThatItsCallerCancelledIsNotTriedAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, _, err := startFakeDaemon(t).connect(t).Agent("a").GetEntry(ctx, "k")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it is %v", err)
	}
}

func TestCancellingEndsTheWaitBetweenAttempts(t *testing.T) {
	daemon := startFakeDaemon(t, refusal(codes.Unavailable, "ERROR_REASON_DRAINING", retryAfter(time.Hour)))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	client := daemon.connect(t, WithTimeout(2*time.Hour), WithConnectTimeout(2*time.Hour))
	if _, err := client.Agent("a").Set(ctx, "k", 1); !errors.Is(err, ErrCancelled) {
		t.Errorf("it is %v", err)
	}
}

func TestClosingTheClientEndsItsCallsAtOnce(t *testing.T) {
	daemon := startFakeDaemon(t, refusal(codes.Unavailable, "ERROR_REASON_DRAINING", retryAfter(time.Hour)))
	client := daemon.connect(t, WithTimeout(2*time.Hour), WithConnectTimeout(2*time.Hour))
	time.AfterFunc(20*time.Millisecond, func() { client.Close() })
	for range 2 {
		if _, err := client.Agent("a").Set(t.Context(), "k", 1); !errors.Is(err, ErrCancelled) {
			t.Errorf("it is %v", err)
		}
	}
	if _, err := client.Agent("a").Watch(t.Context()); !errors.Is(err, ErrCancelled) {
		t.Errorf("a watch is %v", err)
	}
}

func TestADaemonThatNeverRespondedIsGivenUpAfterTheConnectTimeout(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	client, err := NewClient(address, WithConnectTimeout(300*time.Millisecond), WithTimeout(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Agent("a").Set(t.Context(), "k", 1); !errors.Is(err, ErrUnavailable) {
		t.Errorf("it is %v", err)
	}
	if _, err := client.Agent("a").Watch(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a watch of it is %v", err)
	}
}

func TestADaemonThatHasRespondedIsWaitedForUntilTheTimeout(t *testing.T) {
	daemon := startFakeDaemon(t, nil, refusal(codes.Unavailable, "", retryAfter(200*time.Millisecond)))
	agent := daemon.connect(t, WithConnectTimeout(100*time.Millisecond)).Agent("a")
	for range 2 {
		if _, err := agent.Set(t.Context(), "k", 1); err != nil {
			t.Fatal(err)
		}
	}
	if len(daemon.sets) != 3 {
		t.Errorf("it was asked %d times", len(daemon.sets))
	}
}

func TestEveryCallCarriesTokenAndOrigin(t *testing.T) {
	daemon := startFakeDaemon(t)
	client := daemon.connect(t, WithToken("secret"), WithOrigin("planner"))
	if _, err := client.Agent("a").Set(t.Context(), "k", 1); err != nil {
		t.Fatal(err)
	}
	headers := daemon.headers[0]
	if headers.Get("authorization")[0] != "Bearer secret" || headers.Get("memoryd-origin")[0] != "planner" {
		t.Errorf("it carries %v", headers)
	}
}

func TestTheErrorOfAStreamIsTypedToo(t *testing.T) {
	daemon := startFakeDaemon(t)
	daemon.streams = []fakeStream{{end: refusal(codes.OutOfRange, "ERROR_REASON_REVISION_COMPACTED")}}
	stream, err := daemon.connect(t).Events().WatchEvents(t.Context(), &memorydv1.WatchEventsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, ErrRevisionCompacted) {
		t.Errorf("it is %v", err)
	}
}
