package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const messageBytesMax = 64 << 20

// stubs holds the generated clients by the names of their services.
type stubs struct {
	conn      *grpc.ClientConn
	events    memorydv1.EventServiceClient
	byService map[string]reflect.Value
}

func dial(address string) (*stubs, error) {
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageBytesMax)),
		grpc.WithNoProxy())
	if err != nil {
		return nil, err
	}
	events := memorydv1.NewEventServiceClient(conn)
	return &stubs{conn, events, map[string]reflect.Value{
		"AgentService":          reflect.ValueOf(memorydv1.NewAgentServiceClient(conn)),
		"DocumentService":       reflect.ValueOf(memorydv1.NewDocumentServiceClient(conn)),
		"EntityService":         reflect.ValueOf(memorydv1.NewEntityServiceClient(conn)),
		"EventService":          reflect.ValueOf(events),
		"FragmentService":       reflect.ValueOf(memorydv1.NewFragmentServiceClient(conn)),
		"LongTermMemoryService": reflect.ValueOf(memorydv1.NewLongTermMemoryServiceClient(conn)),
		"NoteService":           reflect.ValueOf(memorydv1.NewNoteServiceClient(conn)),
		"OperationService":      reflect.ValueOf(memorydv1.NewOperationServiceClient(conn)),
		"PlanService":           reflect.ValueOf(memorydv1.NewPlanServiceClient(conn)),
		"TransactionService":    reflect.ValueOf(memorydv1.NewTransactionServiceClient(conn)),
		"ContextService":        reflect.ValueOf(memorydv1.NewContextServiceClient(conn)),
		"ConversationService":   reflect.ValueOf(memorydv1.NewConversationServiceClient(conn)),
		"ServerService":         reflect.ValueOf(memorydv1.NewServerServiceClient(conn)),
		"SnapshotService":       reflect.ValueOf(memorydv1.NewSnapshotServiceClient(conn)),
		"WorkingMemoryService":  reflect.ValueOf(memorydv1.NewWorkingMemoryServiceClient(conn)),
	}}, nil
}

// method is a method of a stub: func(context.Context, *Request, ...grpc.CallOption) (*Response, error).
type method struct {
	reflect.Value
	name string
}

var messageType = reflect.TypeFor[proto.Message]()

func (s *stubs) unary(name string) (method, error) {
	service, short, _ := strings.Cut(name, ".")
	stub, known := s.byService[service]
	if !known {
		return method{}, fmt.Errorf("there is no service %s", service)
	}
	found := stub.MethodByName(short)
	if !found.IsValid() {
		return method{}, fmt.Errorf("there is no method %s", name)
	}
	signature := found.Type()
	if signature.NumIn() != 3 || !signature.In(1).Implements(messageType) || !signature.Out(0).Implements(messageType) {
		return method{}, fmt.Errorf("%s is not unary", name)
	}
	return method{found, short}, nil
}

// newRequest returns an empty request.
func (m method) newRequest() proto.Message {
	return reflect.New(m.Type().In(1).Elem()).Interface().(proto.Message)
}

func (m method) call(ctx context.Context, request proto.Message) (proto.Message, error) {
	answer := m.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(request)})
	err, _ := answer[1].Interface().(error)
	return answer[0].Interface().(proto.Message), err
}

// read decodes a message from its JSON form. Nil is an empty message.
func read(message proto.Message, value any) error {
	if value == nil {
		return nil
	}
	if err := protojson.Unmarshal([]byte(toJSON(value)), message); err != nil {
		return fmt.Errorf("the request is no %s: %w", message.ProtoReflect().Descriptor().Name(), err)
	}
	return nil
}

// written returns a message in its JSON form, with the field names of the proto and all defaults.
func written(message proto.Message) (any, error) {
	text, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(message)
	if err != nil {
		return nil, err
	}
	return fromJSON(string(text))
}
