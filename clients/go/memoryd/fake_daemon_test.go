package memoryd

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// fakeDaemon is a scripted server: each call returns the next of its errors, and succeeds once there are none left.
type fakeDaemon struct {
	memorydv1.UnimplementedAgentServiceServer
	memorydv1.UnimplementedWorkingMemoryServiceServer
	memorydv1.UnimplementedSnapshotServiceServer
	memorydv1.UnimplementedEventServiceServer
	memorydv1.UnimplementedTransactionServiceServer
	memorydv1.UnimplementedFragmentServiceServer

	address string

	mutex   sync.Mutex
	errors  []error
	sets    []*memorydv1.SetEntryRequest
	headers []metadata.MD
	creates []*memorydv1.CreateSnapshotRequest
	commits []*memorydv1.CommitRequest
	// streams are the messages that each connection of a watch sends before it ends with its error.
	streams []fakeStream
	asked   []*memorydv1.WatchEventsRequest
}

type fakeStream struct {
	messages []*memorydv1.WatchEventsResponse
	end      error
	stays    bool
}

func startFakeDaemon(t *testing.T, script ...error) *fakeDaemon {
	t.Helper()
	daemon := startFakeDaemonWith(t)
	daemon.errors = script
	return daemon
}

func startFakeDaemonWith(t *testing.T, options ...grpc.ServerOption) *fakeDaemon {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	daemon := &fakeDaemon{address: listener.Addr().String()}
	server := grpc.NewServer(options...)
	memorydv1.RegisterAgentServiceServer(server, daemon)
	memorydv1.RegisterWorkingMemoryServiceServer(server, daemon)
	memorydv1.RegisterSnapshotServiceServer(server, daemon)
	memorydv1.RegisterEventServiceServer(server, daemon)
	memorydv1.RegisterTransactionServiceServer(server, daemon)
	memorydv1.RegisterFragmentServiceServer(server, daemon)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return daemon
}

func (d *fakeDaemon) connect(t *testing.T, options ...Option) *Client {
	t.Helper()
	client, err := NewClient(d.address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func (d *fakeDaemon) next() error {
	if len(d.errors) == 0 {
		return nil
	}
	err := d.errors[0]
	d.errors = d.errors[1:]
	return err
}

func (d *fakeDaemon) SetEntry(
	ctx context.Context, request *memorydv1.SetEntryRequest,
) (*memorydv1.SetEntryResponse, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.sets = append(d.sets, request)
	headers, _ := metadata.FromIncomingContext(ctx)
	d.headers = append(d.headers, headers)
	if err := d.next(); err != nil {
		return nil, err
	}
	return &memorydv1.SetEntryResponse{Revision: 1}, nil
}

func (d *fakeDaemon) GetEntry(
	ctx context.Context, _ *memorydv1.GetEntryRequest,
) (*memorydv1.GetEntryResponse, error) {
	<-ctx.Done()
	return nil, status.FromContextError(ctx.Err()).Err()
}

func (d *fakeDaemon) Commit(
	_ context.Context, request *memorydv1.CommitRequest,
) (*memorydv1.CommitResponse, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.commits = append(d.commits, request)
	return &memorydv1.CommitResponse{Results: make([]*memorydv1.WriteResult, len(request.GetWrites()))}, d.next()
}

func (d *fakeDaemon) CreateSnapshot(
	_ context.Context, request *memorydv1.CreateSnapshotRequest,
) (*memorydv1.CreateSnapshotResponse, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.creates = append(d.creates, request)
	return &memorydv1.CreateSnapshotResponse{}, d.next()
}

func (d *fakeDaemon) WatchEvents(
	request *memorydv1.WatchEventsRequest, out grpc.ServerStreamingServer[memorydv1.WatchEventsResponse],
) error {
	d.mutex.Lock()
	d.asked = append(d.asked, request)
	if len(d.streams) == 0 {
		d.mutex.Unlock()
		return status.Error(codes.Internal, "the script is over")
	}
	stream := d.streams[0]
	d.streams = d.streams[1:]
	d.mutex.Unlock()
	for _, message := range stream.messages {
		if err := out.Send(message); err != nil {
			return err
		}
	}
	if stream.stays {
		<-out.Context().Done()
	}
	return stream.end
}

func refusal(code codes.Code, reason string, details ...protoadapt.MessageV1) error {
	info := &errdetails.ErrorInfo{Domain: errorDomain, Reason: reason}
	refused, err := status.New(code, "refused").WithDetails(append([]protoadapt.MessageV1{info}, details...)...)
	if err != nil {
		panic(err)
	}
	return refused.Err()
}

func retryAfter(delay time.Duration) protoadapt.MessageV1 {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(delay)}
}
