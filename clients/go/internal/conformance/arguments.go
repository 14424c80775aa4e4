package main

import (
	"errors"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// errUnsayable: the arguments of a wrapper cannot say a request, such as one for a certain page of a list.
var errUnsayable = errors.New("no arguments say this")

// argumentsOf returns the arguments with which a wrapper sends a request, after its context. It takes them from the
// message, which is empty afterwards.
func argumentsOf(request protoreflect.Message, function reflect.Type, wrapper wrapper) ([]reflect.Value, error) {
	arguments := make([]reflect.Value, 0, function.NumIn())
	next := func() reflect.Value {
		argument := reflect.New(function.In(1 + len(arguments))).Elem()
		arguments = append(arguments, argument)
		return argument
	}
	for _, path := range wrapper.arguments {
		if err := take(request, path, next()); err != nil {
			return nil, err
		}
	}
	if wrapper.changes {
		if err := takeChanges(request, next()); err != nil {
			return nil, err
		}
	}
	options := next()
	options.Set(reflect.New(options.Type().Elem()))
	if err := takeFields(request, options.Elem()); err != nil {
		return nil, err
	}
	if proto.Size(request.Interface()) > 0 {
		return nil, errUnsayable
	}
	return arguments, nil
}

// takeFields moves fields of a message to those of a struct. The struct's tags are their paths.
func takeFields(message protoreflect.Message, structure reflect.Value) error {
	for i := range structure.NumField() {
		field, value := structure.Type().Field(i), structure.Field(i)
		path, isTagged := field.Tag.Lookup("memoryd")
		var err error
		if isTagged {
			err = take(message, strings.TrimSuffix(path, ",some"), value)
		} else {
			err = takeFields(message, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeChanges moves what an update changes to a struct.
func takeChanges(request protoreflect.Message, changes reflect.Value) error {
	fields := request.Descriptor().Fields()
	mask := request.Get(fields.ByName("update_mask")).Message().Interface().(*fieldmaskpb.FieldMask)
	named := map[string]bool{}
	for _, path := range mask.GetPaths() {
		named[path] = true
	}
	draft := request.Mutable(fields.ByName("draft")).Message()
	request.Clear(fields.ByName("update_mask"))
	// The time to live is another way to say when a record expires.
	if ttl := draft.Descriptor().Fields().ByName("ttl"); ttl != nil && draft.Has(ttl) && named["expire_time"] {
		delete(named, "expire_time")
		named["ttl"] = true
	}
	for i := range changes.NumField() {
		field, value := changes.Type().Field(i), changes.Field(i)
		name := field.Tag.Get("memoryd")
		if !named[name] {
			continue
		}
		delete(named, name)
		if err := takeChange(draft, name, value); err != nil {
			return err
		}
	}
	if len(named) > 0 || proto.Size(draft.Interface()) > 0 {
		return errUnsayable
	}
	request.Clear(fields.ByName("draft"))
	return nil
}

// takeChange moves a field of a draft. One that is not set is cleared by a pointer to a zero value, or an empty list.
func takeChange(draft protoreflect.Message, name string, value reflect.Value) error {
	field := draft.Descriptor().Fields().ByName(protoreflect.Name(name))
	isClearable := field.Message() != nil || field.Kind() == protoreflect.StringKind
	switch {
	case draft.Has(field):
		return take(draft, name, value)
	case field.IsList():
		value.Set(reflect.MakeSlice(value.Type(), 0, 0))
	case isClearable && value.Kind() == reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
	default:
		return errUnsayable
	}
	return nil
}

// take moves the field at a path, if it is set, to a value, which is a zero value before.
func take(message protoreflect.Message, path string, value reflect.Value) error {
	name, rest, isDeep := strings.Cut(path, ".")
	field := message.Descriptor().Fields().ByName(protoreflect.Name(name))
	switch {
	case !message.Has(field):
		return nil
	case isDeep:
		return takeWithin(message, field, func(nested protoreflect.Message) error { return take(nested, rest, value) })
	case isInput(value.Type()):
		return takeWithin(message, field, func(nested protoreflect.Message) error { return takeFields(nested, value) })
	}
	converted, err := convert(field, message.Get(field), value.Type())
	if err != nil {
		return err
	}
	value.Set(converted)
	message.Clear(field)
	// A zero value is none, unless a pointer points to it.
	if moment, isTime := value.Interface().(time.Time); value.IsZero() || isTime && moment.IsZero() {
		return errUnsayable
	}
	return nil
}

// takeWithin moves fields of a field's message, and clears the field once there are none left.
func takeWithin(
	message protoreflect.Message, field protoreflect.FieldDescriptor, move func(protoreflect.Message) error,
) error {
	nested := message.Mutable(field).Message()
	wasEmpty := proto.Size(nested.Interface()) == 0
	if err := move(nested); err != nil {
		return err
	}
	if !wasEmpty && proto.Size(nested.Interface()) == 0 {
		message.Clear(field)
	}
	return nil
}

// isInput reports whether a type is a struct whose fields are those of a message.
func isInput(kind reflect.Type) bool {
	return kind.Kind() == reflect.Struct && kind != reflect.TypeFor[time.Time]() &&
		kind != reflect.TypeFor[memoryd.Condition]() && kind != reflect.TypeFor[memoryd.Consistency]()
}

// convert returns the value of a field as a value of a type.
func convert(field protoreflect.FieldDescriptor, value protoreflect.Value, kind reflect.Type) (reflect.Value, error) {
	switch {
	case kind.Kind() == reflect.Pointer:
		pointed, err := convert(field, value, kind.Elem())
		if err != nil {
			return pointed, err
		}
		pointer := reflect.New(kind.Elem())
		pointer.Elem().Set(pointed)
		return pointer, nil
	case field.IsList():
		list := value.List()
		slice := reflect.MakeSlice(kind, list.Len(), list.Len())
		for i := range list.Len() {
			each, err := convertOne(field, list.Get(i), kind.Elem())
			if err != nil {
				return each, err
			}
			slice.Index(i).Set(each)
		}
		return slice, nil
	}
	return convertOne(field, value, kind)
}

func convertOne(field protoreflect.FieldDescriptor, value protoreflect.Value, kind reflect.Type) (reflect.Value, error) {
	converted := reflect.New(kind).Elem()
	switch {
	case field.Enum() != nil && kind.Kind() == reflect.Bool:
		converted.SetBool(value.Enum() == memorydv1.RecordView_RECORD_VIEW_WITHOUT_CONTENT.Number())
		return converted, nil
	case field.Enum() != nil:
		converted.SetInt(int64(value.Enum()))
		return converted, nil
	case field.Message() == nil:
		return reflect.ValueOf(value.Interface()).Convert(kind), nil
	}
	message := value.Message()
	if isInput(kind) {
		if err := takeFields(message, converted); err != nil {
			return converted, err
		}
		if proto.Size(message.Interface()) > 0 {
			return converted, errUnsayable
		}
		return converted, nil
	}
	native, err := nativeOf(message.Interface())
	if err == nil && native != nil {
		converted.Set(reflect.ValueOf(native))
	}
	return converted, err
}

// nativeOf returns the value of Go that stands for a message. A message without fields says all by being there.
func nativeOf(message proto.Message) (any, error) {
	switch message := message.(type) {
	case *timestamppb.Timestamp:
		return message.AsTime(), sayableIf(message.IsValid())
	case *durationpb.Duration:
		return message.AsDuration(), sayableIf(proto.Equal(durationpb.New(message.AsDuration()), message))
	case *structpb.Struct:
		return message.AsMap(), nil
	case *structpb.ListValue:
		return message.AsSlice(), nil
	case *structpb.Value:
		return message.AsInterface(), nil
	case *memorydv1.Precondition:
		return conditionOf(message)
	case *memorydv1.Consistency:
		return consistencyOf(message)
	}
	return true, sayableIf(message.ProtoReflect().Descriptor().Fields().Len() == 0)
}

func conditionOf(message *memorydv1.Precondition) (memoryd.Condition, error) {
	switch condition := message.GetCondition().(type) {
	case *memorydv1.Precondition_ExpectedRevision:
		return memoryd.IfRevision(condition.ExpectedRevision), nil
	case *memorydv1.Precondition_MustExist:
		return memoryd.IfPresent(), sayableIf(condition.MustExist)
	case *memorydv1.Precondition_MustNotExist:
		return memoryd.IfAbsent(), sayableIf(condition.MustNotExist)
	}
	return memoryd.Condition{}, errUnsayable
}

func consistencyOf(message *memorydv1.Consistency) (memoryd.Consistency, error) {
	switch bound := message.GetRequirement().(type) {
	case *memorydv1.Consistency_MinRevision:
		return memoryd.WithMinRevision(bound.MinRevision), nil
	case *memorydv1.Consistency_MaxStaleness:
		return memoryd.WithMaxStaleness(bound.MaxStaleness.AsDuration()), nil
	}
	return memoryd.Consistency{}, errUnsayable
}

func sayableIf(holds bool) error {
	if holds {
		return nil
	}
	return errUnsayable
}
