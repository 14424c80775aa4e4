package memoryd

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// tag is the key of the tags that say which field of a message a field of a struct is for: its name, or its path from
// the request, such as "draft.title". Behind it, ",some" refuses a list that is given but empty, which would select
// all.
//
// The messages are put together from these tags at run time, because that is one function for all of them, and takes
// about 10 µs of a call.
const tag = "memoryd"

// given is what the caller of a method gives.
type given struct {
	arguments []argument
	// options is a pointer to a struct, or a nil pointer.
	options any
	// changes is the struct with the fields of the draft that an update changes; nil for any other method.
	changes any
}

// argument is an argument of a method, with the path of its field.
type argument struct {
	path  string
	value any
}

// fill sets the fields of a request, which is empty, also those of the agent and its bound user.
func (g given) fill(request proto.Message, agent *Agent) error {
	message := request.ProtoReflect()
	message.Set(fieldOf(message, "agent_id"), protoreflect.ValueOfString(agent.agentID))
	for _, each := range g.arguments {
		if err := putAt(message, each.path, reflect.ValueOf(each.value)); err != nil {
			return err
		}
	}
	if options := reflect.ValueOf(g.options); !options.IsNil() {
		if err := putFields(message, options.Elem()); err != nil {
			return err
		}
	}
	if g.changes != nil {
		return putChanges(message, reflect.ValueOf(g.changes))
	}
	return bindUser(message, agent.userID)
}

// putFields sets the fields of a message to those of a struct that are given. An embedded struct without a tag has
// fields of the same message.
func putFields(message protoreflect.Message, structure reflect.Value) error {
	for i := range structure.NumField() {
		field, value := structure.Type().Field(i), structure.Field(i)
		path, isTagged := field.Tag.Lookup(tag)
		path, isSome := strings.CutSuffix(path, ",some")
		var err error
		switch {
		case !isTagged:
			err = putFields(message, value)
		case isSome && !value.IsNil() && value.Len() == 0:
			err = emptySelection(path)
		default:
			err = putAt(message, path, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putChanges sets the fields of the request's draft that an update changes, and names them in its mask.
func putChanges(request protoreflect.Message, changes reflect.Value) error {
	draft := request.Mutable(fieldOf(request, "draft")).Message()
	mask := &fieldmaskpb.FieldMask{}
	for i := range changes.NumField() {
		field, value := changes.Type().Field(i), changes.Field(i)
		if value.IsNil() {
			continue
		}
		name := field.Tag.Get(tag)
		if err := putChange(draft, name, value); err != nil {
			return err
		}
		// The time to live is another way to say when a record expires.
		if name == "ttl" {
			name = "expire_time"
		}
		mask.Paths = append(mask.Paths, name)
	}
	request.Set(fieldOf(request, "update_mask"), protoreflect.ValueOfMessage(mask.ProtoReflect()))
	return nil
}

// putChange sets a field of a draft. One that is a message stays unset for a zero value, so that the update removes what
// it has.
func putChange(draft protoreflect.Message, name string, value reflect.Value) error {
	field := fieldOf(draft, name)
	if value.Kind() == reflect.Pointer && field.Message() != nil && !isGiven(value.Elem()) {
		return nil
	}
	return put(draft, field, value)
}

// putAt sets the field at a path, unless the value is not given.
func putAt(message protoreflect.Message, path string, value reflect.Value) error {
	if !isGiven(value) {
		return nil
	}
	names := strings.Split(path, ".")
	last := len(names) - 1
	for _, name := range names[:last] {
		message = message.Mutable(fieldOf(message, name)).Message()
	}
	return put(message, fieldOf(message, names[last]), value)
}

// isGiven reports whether the caller gives a value. The zero time is none, whatever its location.
func isGiven(value reflect.Value) bool {
	moment, isTime := value.Interface().(time.Time)
	return !value.IsZero() && !(isTime && moment.IsZero())
}

// put sets a field to a value, or to that which a pointer points to.
func put(message protoreflect.Message, field protoreflect.FieldDescriptor, value reflect.Value) error {
	if oneof := field.ContainingOneof(); oneof != nil && message.WhichOneof(oneof) != nil {
		return invalidArgument("%s and %s exclude each other", message.WhichOneof(oneof).Name(), field.Name())
	}
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if field.IsList() {
		return putList(message.Mutable(field).List(), field, value)
	}
	converted, err := convert(field, value, func() protoreflect.Value { return message.NewField(field) })
	if err == nil {
		message.Set(field, converted)
	}
	return err
}

func putList(list protoreflect.List, field protoreflect.FieldDescriptor, values reflect.Value) error {
	for i, each := range values.Seq2() {
		converted, err := convert(field, each, list.NewElement)
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", field.Name(), i.Int(), err)
		}
		list.Append(converted)
	}
	return nil
}

// convert returns a value as one of a field's type, of which empty returns a new one.
func convert(
	field protoreflect.FieldDescriptor, value reflect.Value, empty func() protoreflect.Value,
) (protoreflect.Value, error) {
	switch {
	case field.Enum() != nil:
		return protoreflect.ValueOfEnum(numberOf(value)), nil
	case field.Message() == nil:
		return protoreflect.ValueOf(value.Interface()), nil
	case field.Message().ParentFile().Path() == "google/protobuf/struct.proto":
		message := empty()
		err := putJSON(message.Message().Interface(), string(field.Name()), value.Interface())
		return message, err
	}
	switch value := value.Interface().(type) {
	case time.Time:
		return protoreflect.ValueOfMessage(timestamppb.New(value).ProtoReflect()), nil
	case time.Duration:
		return protoreflect.ValueOfMessage(durationpb.New(value).ProtoReflect()), nil
	case Condition:
		return protoreflect.ValueOfMessage(value.message.ProtoReflect()), nil
	case Consistency:
		return protoreflect.ValueOfMessage(value.message.ProtoReflect()), nil
	case bool: // of a message that says all by being there
		return empty(), nil
	}
	message := empty()
	return message, putFields(message.Message(), value)
}

// numberOf returns the number of an enum. A bool is that of WithoutContent, the only view besides the whole record.
func numberOf(value reflect.Value) protoreflect.EnumNumber {
	if value.Kind() == reflect.Bool {
		return memorydv1.RecordView_RECORD_VIEW_WITHOUT_CONTENT.Number()
	}
	return protoreflect.EnumNumber(value.Int())
}

// putJSON makes a message of package structpb that of a value, as encoding/json encodes it.
func putJSON(message proto.Message, name string, value any) error {
	text, err := encode(value)
	if err != nil {
		return fmt.Errorf("the %s: %w", name, err)
	}
	if err := protojson.Unmarshal([]byte(text), message); err != nil {
		return fmt.Errorf("%w: the %s: %w", ErrUnsupportedValue, name, err)
	}
	return nil
}

// bindUser makes what a request writes about the user, and selects the records of the user, unless it names others.
func bindUser(request protoreflect.Message, userID string) error {
	if userID != "" {
		bindWritten(request, userID)
	}
	if namesRecords(request.Interface()) {
		userID = ""
	}
	field := request.Descriptor().Fields().ByName("filter")
	if field == nil || userID == "" && !request.Has(field) {
		return nil
	}
	filter := request.Mutable(field).Message().Interface().(*memorydv1.RecordFilter)
	return checkUsers(aboutUser(filter, userID))
}

// namesRecords reports whether a request with a filter names the records, or what they belong to, whose user is theirs:
// the bound user would leave out those of a conversation without a user.
func namesRecords(request proto.Message) bool {
	switch request := request.(type) {
	case *memorydv1.BatchForgetMemoriesRequest:
		// Without any condition, it would forget all that there is of the user.
		return len(request.GetMemoryIds()) > 0 || proto.Size(request.GetFilter()) == 0
	case *memorydv1.ListMemoryLinksRequest:
		return request.GetMemoryId() != ""
	case *memorydv1.ListMessagesRequest:
		return true
	}
	return false
}

// bindWritten sets the user of a message that is written, which is the request itself, its draft or its drafts, or the
// sets of a batch. A part of a record, such as a message of a conversation, has none of its own. An update changes the
// user of a record only where its mask says so.
func bindWritten(message protoreflect.Message, userID string) {
	fields := message.Descriptor().Fields()
	if field := fields.ByName("user_id"); field != nil && !message.Has(field) {
		message.Set(field, protoreflect.ValueOfString(userID))
	}
	if field := fields.ByName("draft"); field != nil && fields.ByName("update_mask") == nil {
		bindWritten(message.Mutable(field).Message(), userID)
	}
	if field := fields.ByName("set"); field != nil && message.Has(field) {
		bindWritten(message.Mutable(field).Message(), userID)
	}
	for _, name := range []protoreflect.Name{"drafts", "operations"} {
		field := fields.ByName(name)
		if field == nil {
			continue
		}
		list := message.Get(field).List()
		for i := range list.Len() {
			bindWritten(list.Get(i).Message(), userID)
		}
	}
}

// fieldOf returns the field of a name. All names are generated from the same contract as the messages.
func fieldOf(message protoreflect.Message, name string) protoreflect.FieldDescriptor {
	field := message.Descriptor().Fields().ByName(protoreflect.Name(name))
	if field == nil {
		panic(fmt.Sprintf("memoryd: %s has no field %s", message.Descriptor().FullName(), name))
	}
	return field
}
