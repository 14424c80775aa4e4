package memoryd

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// narrowing are the fields of a filter that only narrow it down, so that more of them may be added.
var narrowing = map[protoreflect.Name]bool{"all_tags": true, "none_of": true, "metadata": true}

// addConditions adds the conditions of a filter to those of another one, in place. Both must hold then, so that any other
// field that both have is refused.
func addConditions(to, from proto.Message) error {
	if err := addFields(to.ProtoReflect(), proto.CloneOf(from).ProtoReflect()); err != nil {
		return err
	}
	filter, isRecordFilter := to.(*memorydv1.RecordFilter)
	if events, isEventFilter := to.(*memorydv1.EventFilter); isEventFilter {
		filter, isRecordFilter = events.GetRecord(), true
	}
	if isRecordFilter {
		return checkUsers(filter)
	}
	return nil
}

func checkUsers(filter *memorydv1.RecordFilter) error {
	if filter.GetAllUsers() && len(filter.GetUserIds()) > 0 {
		return invalidArgument("the selections of some users and of all users exclude each other")
	}
	return nil
}

// aboutUser returns a filter that selects the records of the user, in place, unless it selects users already or the user
// is empty.
func aboutUser(filter *memorydv1.RecordFilter, userID string) *memorydv1.RecordFilter {
	if userID == "" || filter.GetAllUsers() || len(filter.GetUserIds()) > 0 {
		return filter
	}
	if filter == nil {
		filter = &memorydv1.RecordFilter{}
	}
	filter.UserIds = []string{userID}
	return filter
}

func addFields(to, from protoreflect.Message) error {
	var failed error
	from.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		failed = addField(to, field, value)
		return failed == nil
	})
	return failed
}

func addField(to protoreflect.Message, field protoreflect.FieldDescriptor, value protoreflect.Value) error {
	oneof := field.ContainingOneof()
	isOther := oneof != nil && to.WhichOneof(oneof) != nil && to.WhichOneof(oneof) != field
	switch {
	case isOther:
		return invalidArgument("the conditions on %s and on %s exclude each other", to.WhichOneof(oneof).Name(), field.Name())
	case !to.Has(field):
		to.Set(field, value)
	case field.IsList() && narrowing[field.Name()]:
		list := to.Mutable(field).List()
		for i := range value.List().Len() {
			list.Append(value.List().Get(i))
		}
	case isFilter(field):
		return addFields(to.Mutable(field).Message(), value.Message())
	default:
		return invalidArgument("%s is selected twice: select it once", field.Name())
	}
	return nil
}

// isFilter returns whether the field holds the conditions of a filter, such as those on entries.
func isFilter(field protoreflect.FieldDescriptor) bool {
	return !field.IsList() && field.Message() != nil && field.Message().ParentFile().Package() == "memoryd.v1"
}

// someOf fails if there are none: they would select all.
func someOf[T any](what string, given []T) error {
	if len(given) == 0 {
		return emptySelection(what)
	}
	return nil
}

func emptySelection(what string) *Error {
	return invalidArgument("a selection by %s must name at least one: leave it out to select all", what)
}

func invalidArgument(format string, arguments ...any) *Error {
	message := fmt.Sprintf(format, arguments...)
	return &Error{Code: codes.InvalidArgument, Message: message, status: status.New(codes.InvalidArgument, message)}
}
