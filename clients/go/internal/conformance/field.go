package main

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// unknownField returns an error for an expected field that the message type does not have: ${absent} would hide it.
func unknownField(expected any, message protoreflect.MessageDescriptor) error {
	mapping, isMapping := expected.(map[string]any)
	if !isMapping || message.ParentFile().Package() == "google.protobuf" {
		return nil // well-known types have a JSON form of their own
	}
	for name, value := range mapping {
		field := message.Fields().ByName(protoreflect.Name(name))
		if field == nil {
			return fmt.Errorf("%s has no field %s", message.Name(), name)
		}
		if field.Message() == nil || field.IsMap() {
			continue
		}
		items, isSequence := value.([]any)
		if !isSequence {
			items = []any{value}
		}
		for _, item := range items {
			if err := unknownField(item, field.Message()); err != nil {
				return err
			}
		}
	}
	return nil
}
