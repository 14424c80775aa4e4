// Package connect_go calls a daemon by Connect's own client in Go: MEMORYD_ADDRESS.
package connect_go

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"connectrpc.com/connect"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// protocols are the ways to call, each over HTTP/1.1 or HTTP/2 without TLS.
var protocols = map[string]struct {
	http2   bool
	options []connect.ClientOption
}{
	"Connect":                    {false, nil},
	"Connect, JSON":              {false, []connect.ClientOption{connect.WithProtoJSON()}},
	"Connect, compressed":        {false, []connect.ClientOption{connect.WithSendGzip()}},
	"Connect, JSON, compressed":  {false, []connect.ClientOption{connect.WithProtoJSON(), connect.WithSendGzip()}},
	"Connect, reads by GET":      {false, []connect.ClientOption{connect.WithHTTPGet()}},
	"Connect over HTTP/2":        {true, nil},
	"Connect over HTTP/2, JSON":  {true, []connect.ClientOption{connect.WithProtoJSON()}},
	"gRPC-Web":                   {false, []connect.ClientOption{connect.WithGRPCWeb()}},
	"gRPC-Web over HTTP/2, gzip": {true, []connect.ClientOption{connect.WithGRPCWeb(), connect.WithSendGzip()}},
	"gRPC":                       {true, []connect.ClientOption{connect.WithGRPC()}},
}

// caller makes calls by one protocol.
type caller struct {
	client  *http.Client
	options []connect.ClientOption
}

func newCaller(t *testing.T, http2 bool, options []connect.ClientOption) caller {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return caller{&http.Client{Transport: transport}, options}
}

func method[Request, Response any](c caller, name string, options ...connect.ClientOption) *connect.Client[Request, Response] {
	url := "http://" + os.Getenv("MEMORYD_ADDRESS") + "/memoryd.v1." + name
	return connect.NewClient[Request, Response](c.client, url, append(c.options, options...)...)
}

func set(t *testing.T, c caller, agentID, key, value string) {
	t.Helper()
	call := method[memorydv1.SetEntryRequest, memorydv1.SetEntryResponse](c, "WorkingMemoryService/SetEntry")
	request := &memorydv1.SetEntryRequest{
		AgentId: agentID, Key: key, Content: &memorydv1.SetEntryRequest_ValueJson{ValueJson: value},
	}
	if _, err := call.CallUnary(context.Background(), connect.NewRequest(request)); err != nil {
		t.Fatal(err)
	}
}

func requireCode(t *testing.T, err error, code connect.Code) *connect.Error {
	t.Helper()
	var failure *connect.Error
	if !errors.As(err, &failure) || failure.Code() != code {
		t.Fatalf("%v instead of %v", err, code)
	}
	return failure
}

func TestWhatIsSetIsRead(t *testing.T) {
	each(t, func(t *testing.T, c caller) {
		agentID, value := rand.Text(), `"`+strings.Repeat("pack é ", 1_000)+`"`
		set(t, c, agentID, "plan", value)
		get := method[memorydv1.GetEntryRequest, memorydv1.GetEntryResponse](
			c, "WorkingMemoryService/GetEntry", connect.WithIdempotency(connect.IdempotencyNoSideEffects),
		)
		request := &memorydv1.GetEntryRequest{AgentId: agentID, Key: "plan"}
		response, err := get.CallUnary(context.Background(), connect.NewRequest(request))
		if err != nil {
			t.Fatal(err)
		}
		if found := response.Msg.GetEntry().GetValueJson(); found != value {
			t.Fatalf("%d bytes instead of %d", len(found), len(value))
		}
	})
}

func TestAnErrorHasItsCodeAndItsReason(t *testing.T) {
	each(t, func(t *testing.T, c caller) {
		get := method[memorydv1.GetNoteRequest, memorydv1.GetNoteResponse](c, "NoteService/GetNote")
		request := &memorydv1.GetNoteRequest{AgentId: rand.Text(), NoteId: "none"}
		_, err := get.CallUnary(context.Background(), connect.NewRequest(request))
		for _, detail := range requireCode(t, err, connect.CodeNotFound).Details() {
			value, err := detail.Value()
			if info, ok := value.(*errdetails.ErrorInfo); ok && err == nil && info.GetDomain() == "memoryd" {
				return
			}
		}
		t.Fatalf("%v has no reason", err)
	})
}

func TestAStreamOfResponsesGoesOnUntilItIsCancelled(t *testing.T) {
	each(t, func(t *testing.T, c caller) {
		agentID := rand.Text()
		watch := method[memorydv1.WatchEventsRequest, memorydv1.WatchEventsResponse](c, "EventService/WatchEvents")
		request := &memorydv1.WatchEventsRequest{Filters: []*memorydv1.EventFilter{{AgentIds: []string{agentID}}}}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stream, err := watch.CallServerStream(ctx, connect.NewRequest(request))
		if err != nil {
			t.Fatal(err)
		}
		if !stream.Receive() || stream.Msg().GetResumeToken() == "" {
			t.Fatal(stream.Err())
		}
		for _, key := range []string{"one", "two"} {
			set(t, c, agentID, key, "1")
			if !stream.Receive() || stream.Msg().GetEvents()[0].GetEntry().GetKey() != key {
				t.Fatal(stream.Msg(), stream.Err())
			}
		}
		cancel()
		if stream.Receive() {
			t.Fatal(stream.Msg())
		}
		requireCode(t, stream.Err(), connect.CodeCanceled)
	})
}

func TestAStreamOfRequestsIsOneUpload(t *testing.T) {
	each(t, func(t *testing.T, c caller) {
		upload := method[memorydv1.UploadDocumentRequest, memorydv1.UploadDocumentResponse](c, "DocumentService/UploadDocument")
		stream := upload.CallClientStream(context.Background())
		header := &memorydv1.UploadDocumentHeader{
			AgentId: rand.Text(),
			Target:  &memorydv1.UploadDocumentHeader_Create{Create: &memorydv1.DocumentDraft{Title: "Trains"}},
		}
		parts := []*memorydv1.UploadDocumentRequest{{Part: &memorydv1.UploadDocumentRequest_Header{Header: header}}}
		text := []byte(strings.Repeat("The night train leaves at ten.\n", 3_000))
		for range 4 {
			parts = append(parts, &memorydv1.UploadDocumentRequest{Part: &memorydv1.UploadDocumentRequest_Data{Data: text}})
		}
		for _, part := range parts {
			if err := stream.Send(part); err != nil {
				t.Fatal(err)
			}
		}
		response, err := stream.CloseAndReceive()
		if err != nil || response.Msg.GetDocument().GetTitle() != "Trains" {
			t.Fatal(response, err)
		}
	})
}

func each(t *testing.T, test func(*testing.T, caller)) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) { test(t, newCaller(t, protocol.http2, protocol.options)) })
	}
}
