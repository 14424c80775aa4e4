package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/memoryd/memoryd/clients/go/memoryd"
)

// wrapper is the wrapper of a method: a method of a type of memoryd.
type wrapper struct {
	// kind is the method of the agent that returns it, empty for the agent itself.
	kind   string
	method string
	// erasing is the method that also erases, if there is one.
	erasing string
	// arguments are the paths of the fields that come before the options.
	arguments []string
	// changes is true if the fields that an update changes are an argument.
	changes bool
}

// tally counts the calls of each method that were made with its wrapper.
type tally struct {
	mutex sync.Mutex
	calls map[string]int
}

func newTally() *tally { return &tally{calls: map[string]int{}} }

func (t *tally) add(method string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.calls[method]++
}

func (t *tally) String() string {
	sum := 0
	for _, each := range t.calls {
		sum += each
	}
	return fmt.Sprintf("calls with the wrappers of %d methods: %d", len(t.calls), sum)
}

// wrapping calls methods with their wrappers, as a user's program would.
type wrapping struct {
	client *memoryd.Client
	tally  *tally
}

func newWrapping(address string, tally *tally) (*wrapping, error) {
	client, err := memoryd.NewClient(address, memoryd.WithDialOptions(grpc.WithChainUnaryInterceptor(record)))
	return &wrapping{client, tally}, err
}

// recording is the call of a wrapper: the request that it is to send, and the response that it has received.
type recording struct {
	expected proto.Message
	isCalled bool
	wrong    error
	response proto.Message
}

type recordingKey struct{}

// record checks the request of a wrapper, and keeps the response.
func record(
	ctx context.Context, method string, request, reply any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	recorded := ctx.Value(recordingKey{}).(*recording)
	recorded.isCalled = true
	sent := comparable(request.(proto.Message), recorded.expected)
	if asked := comparable(recorded.expected, recorded.expected); !proto.Equal(sent, asked) {
		recorded.wrong = fmt.Errorf("the wrapper sends %s %s instead of %s",
			method, protojson.Format(sent), protojson.Format(asked))
		return recorded.wrong
	}
	err := invoke(ctx, method, request, reply, conn, options...)
	recorded.response = reply.(proto.Message)
	return err
}

// comparable returns a request without what does not matter: the size of pages, the request id of the client, the order of
// the changes of an update, and whether they are there but empty.
func comparable(request, expected proto.Message) proto.Message {
	message := proto.Clone(request).ProtoReflect()
	fields := message.Descriptor().Fields()
	if field := fields.ByName("page_size"); field != nil {
		message.Clear(field)
	}
	if field := fields.ByName("request_id"); field != nil && !expected.ProtoReflect().Has(field) {
		message.Clear(field)
	}
	if mask := fields.ByName("update_mask"); mask != nil {
		clearEmpty(message, fields.ByName("draft"))
		slices.Sort(message.Mutable(mask).Message().Interface().(*fieldmaskpb.FieldMask).Paths)
		clearEmpty(message, mask)
	}
	return message.Interface()
}

func clearEmpty(message protoreflect.Message, field protoreflect.FieldDescriptor) {
	if proto.Size(message.Get(field).Message().Interface()) == 0 {
		message.Clear(field)
	}
}

// call calls a method with its wrapper, and returns the response that the wrapper has received. The response is nil, and
// nothing is sent, if there is no wrapper, or none that can say this request.
func (w *wrapping) call(ctx context.Context, method string, request proto.Message) (proto.Message, error) {
	wrapper, isWrapped := wrappers[method]
	if !isWrapped {
		return nil, nil
	}
	message := proto.Clone(request).ProtoReflect()
	agentID := message.Descriptor().Fields().ByName("agent_id")
	kind := reflect.ValueOf(w.client.Agent(message.Get(agentID).String()))
	message.Clear(agentID)
	if wrapper.kind != "" {
		kind = kind.MethodByName(wrapper.kind).Call(nil)[0]
	}
	name := wrapper.method
	if erase := message.Descriptor().Fields().ByName("erase"); wrapper.erasing != "" && message.Get(erase).Bool() {
		name = wrapper.erasing
		message.Clear(erase)
	}
	function := kind.MethodByName(name)
	arguments, err := argumentsOf(message, function.Type(), wrapper)
	if errors.Is(err, errUnsayable) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	recorded := &recording{expected: request}
	ctx = context.WithValue(ctx, recordingKey{}, recorded)
	err = errorOf(function.Call(append([]reflect.Value{reflect.ValueOf(ctx)}, arguments...)))
	switch {
	case recorded.wrong != nil:
		return nil, recorded.wrong
	case !recorded.isCalled && errors.Is(err, memoryd.ErrInvalidArgument):
		return nil, nil // it refuses what only a stub can send
	}
	w.tally.add(method)
	return recorded.response, err
}

// errorOf returns the error that a wrapper returns, or that its list ends with.
func errorOf(results []reflect.Value) error {
	if len(results) == 1 {
		for _, err := range results[0].Seq2() {
			if !err.IsNil() {
				return err.Interface().(error)
			}
		}
		return nil
	}
	err, _ := results[1].Interface().(error)
	return err
}
