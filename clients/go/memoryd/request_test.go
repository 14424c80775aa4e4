package memoryd

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// recordingConn is a connection that records the requests of its calls, and returns empty responses.
type recordingConn struct {
	grpc.ClientConnInterface

	requests []proto.Message
}

func (c *recordingConn) Invoke(_ context.Context, _ string, request, _ any, _ ...grpc.CallOption) error {
	c.requests = append(c.requests, proto.Clone(request.(proto.Message)))
	return nil
}

// agent returns an agent whose calls are recorded.
func (c *recordingConn) agent() *Agent {
	return (&Client{
		fragments:     memorydv1.NewFragmentServiceClient(c),
		longTerm:      memorydv1.NewLongTermMemoryServiceClient(c),
		notes:         memorydv1.NewNoteServiceClient(c),
		contexts:      memorydv1.NewContextServiceClient(c),
		conversations: memorydv1.NewConversationServiceClient(c),
		entities:      memorydv1.NewEntityServiceClient(c),
		plans:         memorydv1.NewPlanServiceClient(c),
		documents:     memorydv1.NewDocumentServiceClient(c),
	}).Agent("a")
}

// lastOf returns the last request, and fails the test if it is none of this type.
func lastOf[T proto.Message](t *testing.T, conn *recordingConn) T {
	t.Helper()
	if len(conn.requests) == 0 {
		t.Fatal("there is no request")
	}
	last, isOne := conn.requests[len(conn.requests)-1].(T)
	if !isOne {
		t.Fatalf("it is %v", conn.requests[len(conn.requests)-1])
	}
	return last
}

// methodsOfKinds returns all methods that are generated.
func methodsOfKinds(agent *Agent) map[string]reflect.Value {
	methods := map[string]reflect.Value{"Agent.Compose": reflect.ValueOf(agent.Compose)}
	for _, kind := range []any{
		agent.Conversations(), agent.Documents(), agent.Entities(), agent.Fragments(), agent.Memories(), agent.Notes(),
		agent.Plans(),
	} {
		value := reflect.ValueOf(kind)
		for i := range value.NumMethod() {
			methods[value.Type().Elem().Name()+"."+value.Type().Method(i).Name] = value.Method(i)
		}
	}
	// Those that are written by hand.
	for _, name := range []string{"Documents.Upload", "Documents.UploadUpdate", "Fragments.OnFlush"} {
		delete(methods, name)
	}
	return methods
}

// TestEveryOptionReachesAFieldOfItsOwn calls each method with each of its options alone, also with each field of
// messages in them: no two requests are the same.
func TestEveryOptionReachesAFieldOfItsOwn(t *testing.T) {
	conn := &recordingConn{}
	for name, method := range methodsOfKinds(conn.agent()) {
		conn.requests = nil
		calls := 0
		for _, last := range []int{1, 2} {
			position := method.Type().NumIn() - last
			if position == 0 || last == 2 && !isStruct(method.Type().In(position)) {
				continue
			}
			for _, sample := range samples(method.Type().In(position), nil) {
				arguments := argumentsOf(t, method.Type())
				arguments[position] = sample
				if err := callOf(method, arguments); err != nil {
					t.Errorf("%s with %v: %v", name, sample, err)
				}
				calls++
			}
		}
		distinct := map[string]bool{}
		for _, request := range conn.requests {
			distinct[protojson.Format(request)] = true
		}
		if calls == 0 || len(distinct) != calls {
			t.Errorf("%s: %d calls have %d requests", name, calls, len(distinct))
		}
	}
}

// argumentsOf returns arguments for a method: a value for each that is required, no changes and no options.
func argumentsOf(t *testing.T, method reflect.Type) []reflect.Value {
	arguments := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < method.NumIn(); i++ {
		argument := method.In(i)
		if isStruct(argument) || argument.Kind() == reflect.Pointer {
			arguments = append(arguments, reflect.Zero(argument))
		} else {
			arguments = append(arguments, samples(argument, nil)[0])
		}
	}
	return arguments
}

func callOf(method reflect.Value, arguments []reflect.Value) error {
	results := method.Call(arguments)
	if results[0].Kind() == reflect.Func {
		for _, err := range results[0].Seq2() {
			return err.Interface().(error)
		}
		return nil
	}
	err, _ := results[1].Interface().(error)
	return err
}

// isStruct reports whether a type is one of the structs that requests are put together from.
func isStruct(each reflect.Type) bool {
	isTagged := func(field reflect.StructField) bool { return field.Tag.Get(tag) != "" }
	return each.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(each), isTagged)
}

// samples returns values of a type: for a struct one for each of its fields, and one without any behind a pointer. A type
// that contains itself has no samples the second time.
func samples(each reflect.Type, within []reflect.Type) (values []reflect.Value) {
	if slices.Contains(within, each) {
		return nil
	}
	switch {
	case each.Kind() == reflect.Pointer:
		for _, sample := range samples(each.Elem(), within) {
			pointer := reflect.New(each.Elem())
			pointer.Elem().Set(sample)
			values = append(values, pointer)
		}
	case isStruct(each):
		for i := range each.NumField() {
			for _, sample := range samples(each.Field(i).Type, append(slices.Clone(within), each)) {
				structure := reflect.New(each).Elem()
				structure.Field(i).Set(sample)
				values = append(values, structure)
			}
		}
	case each.Kind() == reflect.Slice && each.Elem().Kind() != reflect.Interface:
		for _, sample := range samples(each.Elem(), within) {
			values = append(values, reflect.Append(reflect.Zero(each), sample))
		}
	default:
		values = append(values, sampleOf(each))
	}
	return values
}

func sampleOf(each reflect.Type) reflect.Value {
	for _, sample := range []any{
		time.Unix(1, 0), time.Second, IfPresent(), WithMinRevision(1), map[string]any{"key": 1}, []any{1},
	} {
		if reflect.TypeOf(sample) == each {
			return reflect.ValueOf(sample)
		}
	}
	sample := reflect.New(each).Elem()
	switch {
	case each.Kind() == reflect.Interface:
		sample.Set(reflect.ValueOf("value"))
	case each.Kind() == reflect.String:
		sample.SetString("text")
	case each.Kind() == reflect.Bool:
		sample.SetBool(true)
	case sample.CanInt():
		sample.SetInt(1)
	case sample.CanUint():
		sample.SetUint(1)
	default:
		sample.SetFloat(0.5)
	}
	return sample
}

func TestFieldsThatExcludeEachOtherAreRefused(t *testing.T) {
	conn := &recordingConn{}
	agent, ctx := conn.agent(), t.Context()
	in := time.Now().Add(time.Hour)
	_, expiry := agent.Memories().Remember(ctx, "it", &CreateMemoryOptions{ExpireTime: in, TTL: time.Hour})
	_, changed := agent.Memories().Update(ctx, "m", UpdateMemoryChanges{ExpireTime: &in, TTL: Ptr(time.Hour)}, nil)
	_, part := agent.Conversations().Append(ctx, "c", []MessageDraft{
		{Parts: []MessagePart{{Text: "Hello", File: &MessageFile{URI: "file:///"}}}},
	}, nil)
	_, users := agent.Memories().Recall(ctx, "it", &RecallMemoriesOptions{
		Selection: Selection{UserIDs: []string{"ada"}, AllUsers: true},
	})
	for _, err := range []error{expiry, changed, part, users} {
		if !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("the error is %v", err)
		}
	}
	for _, err := range agent.Notes().List(ctx, &ListNotesOptions{
		Selection: Selection{NoneOf: []RecordFilter{{Note: &NoteCondition{}, Plan: &PlanCondition{}}}},
	}) {
		if !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("the error is %v", err)
		}
	}
	if len(conn.requests) > 0 {
		t.Errorf("there are %v", conn.requests)
	}
}

func TestAnUpdateNamesTheFieldsThatAreNotNil(t *testing.T) {
	conn := &recordingConn{}
	for _, each := range []struct {
		changes UpdateMemoryChanges
		paths   []string
		draft   *memorydv1.MemoryDraft
	}{
		{UpdateMemoryChanges{}, nil, &memorydv1.MemoryDraft{}},
		{UpdateMemoryChanges{Content: Ptr("it")}, []string{"content"}, &memorydv1.MemoryDraft{Content: "it"}},
		{
			UpdateMemoryChanges{Tags: []string{}, Metadata: map[string]any{}}, []string{"tags", "metadata"},
			&memorydv1.MemoryDraft{Metadata: &structpb.Struct{}},
		},
		{UpdateMemoryChanges{Importance: Ptr(0.0)}, []string{"importance"}, &memorydv1.MemoryDraft{Importance: Ptr(0.0)}},
		{UpdateMemoryChanges{ExpireTime: &time.Time{}}, []string{"expire_time"}, &memorydv1.MemoryDraft{}},
		{UpdateMemoryChanges{TTL: Ptr(time.Duration(0))}, []string{"expire_time"}, &memorydv1.MemoryDraft{}},
		{
			UpdateMemoryChanges{Provenance: &Provenance{}, Embedding: &Embedding{}}, []string{"provenance", "embedding"},
			&memorydv1.MemoryDraft{},
		},
	} {
		if _, err := conn.agent().User("ada").Memories().Update(t.Context(), "m", each.changes, nil); err != nil {
			t.Fatal(err)
		}
		request := lastOf[*memorydv1.UpdateMemoryRequest](t, conn)
		if paths := request.GetUpdateMask().GetPaths(); !slices.Equal(paths, each.paths) {
			t.Errorf("they are %v and not %v", paths, each.paths)
		}
		if !proto.Equal(request.GetDraft(), each.draft) {
			t.Errorf("it is %v and not %v", request.GetDraft(), each.draft)
		}
	}
}

func TestABoundUserIsSelectedUnlessOthersAre(t *testing.T) {
	conn := &recordingConn{}
	for _, each := range []struct {
		user     string
		options  *BatchForgetMemoriesOptions
		expected *memorydv1.RecordFilter
	}{
		{"", nil, nil},
		{"ada", nil, nil}, // it would be all that there is of the user
		{"ada", &BatchForgetMemoriesOptions{Selection: Selection{AllTags: []string{}}}, &memorydv1.RecordFilter{}},
		{
			"ada", &BatchForgetMemoriesOptions{Selection: Selection{AllTags: []string{"t"}}},
			&memorydv1.RecordFilter{AllTags: []string{"t"}, UserIds: []string{"ada"}},
		},
		{
			"ada", &BatchForgetMemoriesOptions{Selection: Selection{UserIDs: []string{""}}},
			&memorydv1.RecordFilter{UserIds: []string{""}},
		},
		{
			"ada", &BatchForgetMemoriesOptions{Selection: Selection{AllUsers: true}},
			&memorydv1.RecordFilter{AllUsers: true},
		},
		{"ada", &BatchForgetMemoriesOptions{MemoryIDs: []string{"m"}}, nil},
	} {
		if _, err := conn.agent().User(each.user).Memories().ForgetMany(t.Context(), each.options); err != nil {
			t.Fatal(err)
		}
		if found := lastOf[*memorydv1.BatchForgetMemoriesRequest](t, conn).GetFilter(); !proto.Equal(found, each.expected) {
			t.Errorf("it is %v and not %v", found, each.expected)
		}
	}
}

func TestABoundUserIsNotSelectedAmongTheRecordsOfWhatACallNames(t *testing.T) {
	conn := &recordingConn{}
	ada, ctx := conn.agent().User("ada"), t.Context()
	roles := MessageCondition{Roles: []memorydv1.MessageRole{memorydv1.MessageRole_MESSAGE_ROLE_USER}}
	for _, err := range ada.Conversations().Messages(ctx, "c", &ListMessagesOptions{MessageCondition: roles}) {
		t.Fatal(err)
	}
	filter := lastOf[*memorydv1.ListMessagesRequest](t, conn).GetFilter()
	if len(filter.GetUserIds()) > 0 || len(filter.GetMessage().GetRoles()) != 1 {
		t.Errorf("it is %v", filter)
	}
	for memory, users := range map[string]int{"m": 0, "": 1} {
		for _, err := range ada.Memories().Links(ctx, &ListMemoryLinksOptions{MemoryID: memory}) {
			t.Fatal(err)
		}
		filter := lastOf[*memorydv1.ListMemoryLinksRequest](t, conn).GetFilter()
		if len(filter.GetUserIds()) != users {
			t.Errorf("of the memory %q it is %v", memory, filter)
		}
	}
}

func TestAMethodThatErasesSaysSo(t *testing.T) {
	conn := &recordingConn{}
	agent, ctx := conn.agent(), t.Context()
	for _, call := range []func() error{
		func() error { _, err := agent.Notes().Erase(ctx, "n", nil); return err },
		func() error { _, err := agent.Documents().Erase(ctx, "d", nil); return err },
		func() error { _, err := agent.Plans().Erase(ctx, "p", nil); return err },
		func() error { _, err := agent.Plans().EraseStep(ctx, "s", nil); return err },
		func() error { _, err := agent.Fragments().Erase(ctx, "f", nil); return err },
		func() error { _, err := agent.Fragments().AcknowledgeAndErase(ctx, "l", nil); return err },
		func() error { _, err := agent.Fragments().ClearAndErase(ctx, nil); return err },
	} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
		if request := lastOf[interface {
			proto.Message
			GetErase() bool
		}](t, conn); !request.GetErase() {
			t.Errorf("it is %v", request)
		}
	}
}

func TestABoundUserIsWrittenUnlessAnotherIs(t *testing.T) {
	conn := &recordingConn{}
	ada, ctx := conn.agent().User("ada"), t.Context()
	equal := func(found, expected string) {
		t.Helper()
		if found != expected {
			t.Errorf("it is %q and not %q", found, expected)
		}
	}
	_, _ = ada.Notes().Create(ctx, "t", "c", nil)
	equal(lastOf[*memorydv1.CreateNoteRequest](t, conn).GetDraft().GetUserId(), "ada")
	_, _ = ada.Notes().Create(ctx, "t", "c", &CreateNoteOptions{UserID: "bob"})
	equal(lastOf[*memorydv1.CreateNoteRequest](t, conn).GetDraft().GetUserId(), "bob")
	_, _ = ada.Memories().CreateMany(ctx, []MemoryDraft{{Content: "1"}, {Content: "2", UserID: "bob"}}, nil)
	drafts := lastOf[*memorydv1.BatchCreateMemoriesRequest](t, conn).GetDrafts()
	equal(drafts[0].GetUserId(), "ada")
	equal(drafts[1].GetUserId(), "bob")
	_, _ = ada.Documents().Create(ctx, nil)
	equal(lastOf[*memorydv1.CreateDocumentRequest](t, conn).GetDraft().GetUserId(), "ada")
	_, _ = ada.Entities().Set(ctx, "c", nil, nil)
	equal(lastOf[*memorydv1.SetEntitiesRequest](t, conn).GetUserId(), "ada")
	_, _ = ada.Entities().Set(ctx, "c", nil, &SetEntitiesOptions{UserID: Ptr("")})
	equal(lastOf[*memorydv1.SetEntitiesRequest](t, conn).GetUserId(), "")
	_, _ = ada.Notes().Update(ctx, "n", UpdateNoteChanges{Title: Ptr("t")}, nil)
	equal(lastOf[*memorydv1.UpdateNoteRequest](t, conn).GetDraft().GetUserId(), "")
}

func TestAListThatWouldSelectAllIsRefused(t *testing.T) {
	conn := &recordingConn{}
	memories, ctx := conn.agent().Memories(), t.Context()
	none := []string{}
	for _, options := range []*BatchForgetMemoriesOptions{
		{MemoryIDs: none},
		{Selection: Selection{UserIDs: none}},
		{Selection: Selection{NoneOf: []RecordFilter{}, AnyOf: []RecordFilter{}}},
		{Selection: Selection{NoneOf: []RecordFilter{{Selection: Selection{IDs: none}}}}},
		{Selection: Selection{NoneOf: []RecordFilter{{Memory: &MemoryCondition{ProjectIDs: none}}}}},
		{MemoryCondition: MemoryCondition{Types: []memorydv1.MemoryType{}}},
	} {
		if _, err := memories.ForgetMany(ctx, options); !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("%v: the error is %v", options, err)
		}
	}
	options := &AcknowledgeFragmentsOptions{FragmentIDs: none}
	if _, err := conn.agent().Fragments().Acknowledge(ctx, "l", options); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("the error is %v", err)
	}
	if len(conn.requests) > 0 {
		t.Errorf("there are %v", conn.requests)
	}
	_, err := memories.ForgetMany(ctx, &BatchForgetMemoriesOptions{
		Selection: Selection{AllTags: none, Metadata: []MetadataCondition{}, NoneOf: []RecordFilter{}},
	})
	if err != nil {
		t.Errorf("a list of conditions that must all hold may be empty: %v", err)
	}
}

func TestJSONValuesAreThoseOfEncodingJSON(t *testing.T) {
	conn := &recordingConn{}
	notes, ctx := conn.agent().Notes(), t.Context()
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for expected, value := range map[string]any{
		`null`:                   json.RawMessage("null"),
		`"2026-01-31T12:00:00Z"`: at,
		`{"n":1}`: struct {
			N int `json:"n"`
		}{1},
		`[1,"two",null]`: []any{1, "two", nil},
		`false`:          Ptr(false),
	} {
		for _, err := range notes.List(ctx, &ListNotesOptions{
			Selection: Selection{Metadata: []MetadataCondition{{Path: "p", Equals: value}}},
		}) {
			t.Fatal(err)
		}
		found := lastOf[*memorydv1.ListNotesRequest](t, conn).GetFilter().GetMetadata()[0].GetEquals()
		if text, err := json.Marshal(found.AsInterface()); err != nil || string(text) != expected {
			t.Errorf("it is %s and not %s, %v", text, expected, err)
		}
	}
	for _, value := range []any{math.NaN(), make(chan int), json.RawMessage("{")} {
		_, err := notes.Create(ctx, "t", "c", &CreateNoteOptions{Metadata: map[string]any{"key": value}})
		if !errors.Is(err, ErrUnsupportedValue) {
			t.Errorf("%v: the error is %v", value, err)
		}
	}
}

func TestTheZeroTimeIsNone(t *testing.T) {
	conn := &recordingConn{}
	elsewhere := &RecallMemoriesOptions{ReadTime: time.Time{}.In(time.FixedZone("", 1))}
	_, err := conn.agent().Memories().Recall(t.Context(), "it", elsewhere)
	if err != nil || lastOf[*memorydv1.RecallMemoriesRequest](t, conn).ReadTime != nil {
		t.Errorf("it is %v, %v", conn.requests, err)
	}
}
