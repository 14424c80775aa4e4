package memoryd

import (
	"context"
	"path"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// recordingDaemon is a server that records the requests of all unary calls. It returns the response of the method's
// name, or an empty one.
type recordingDaemon struct {
	*fakeDaemon

	mutex     sync.Mutex
	requests  []proto.Message
	responses map[string]proto.Message
}

func startRecordingDaemon(t *testing.T, responses map[string]proto.Message) *recordingDaemon {
	t.Helper()
	daemon := &recordingDaemon{responses: responses}
	daemon.fakeDaemon = startFakeDaemonWith(t, grpc.UnaryInterceptor(daemon.record))
	return daemon
}

func (d *recordingDaemon) record(
	_ context.Context, request any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler,
) (any, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.requests = append(d.requests, request.(proto.Message))
	if response, given := d.responses[path.Base(info.FullMethod)]; given {
		return response, nil
	}
	name := strings.ReplaceAll(strings.Trim(info.FullMethod, "/"), "/", ".")
	method, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, err
	}
	response, err := protoregistry.GlobalTypes.FindMessageByName(method.(protoreflect.MethodDescriptor).Output().FullName())
	if err != nil {
		return nil, err
	}
	return response.New().Interface(), nil
}

// requestOf returns the newest request of this type, and fails the test if there is none.
func requestOf[T proto.Message](t *testing.T, daemon *recordingDaemon) T {
	t.Helper()
	request, found := lastRequestOf[T](daemon)
	if !found {
		t.Fatalf("there is no %T", request)
	}
	return request
}

func lastRequestOf[T proto.Message](daemon *recordingDaemon) (last T, found bool) {
	daemon.mutex.Lock()
	defer daemon.mutex.Unlock()
	for _, request := range daemon.requests {
		if request, isOne := request.(T); isOne {
			last, found = request, true
		}
	}
	return last, found
}
