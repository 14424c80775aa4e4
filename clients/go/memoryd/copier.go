package memoryd

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"time"
)

// copier makes a value independent of the one that it is a shallow copy of. Nil means that it is already.
type copier func(reflect.Value)

// copiers has the copier of each type of [decodedValue], or uncopyable.
var copiers sync.Map

// uncopyable stands for a type whose values may have parts that only the type itself can copy.
type uncopyable struct{}

// decodedValue is a decoded value that is never given away: its readers receive copies.
type decodedValue struct {
	// value is a pointer to it.
	value any
	copy  copier
}

// keepDecoded returns a decoded value to keep, or nil if its type cannot be copied. The value must be given to nobody.
func keepDecoded[T any](value *T) *decodedValue {
	kind := reflect.TypeFor[T]()
	known, isKnown := copiers.Load(kind)
	if !isKnown {
		known = uncopyable{}
		if found, isCopyable := copierOf(kind, nil); isCopyable {
			known = found
		}
		copiers.Store(kind, known)
	}
	found, isCopyable := known.(copier)
	if !isCopyable {
		return nil
	}
	return &decodedValue{value, found}
}

// copyOf returns a copy of a kept value, and false if there is none of this type.
func copyOf[T any](kept *decodedValue) (T, bool) {
	var value T
	if kept == nil {
		return value, false
	}
	decoded, isSame := kept.value.(*T)
	if !isSame {
		return value, false
	}
	value = *decoded
	if kept.copy != nil {
		kept.copy(reflect.ValueOf(&value).Elem())
	}
	return value, true
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// copierOf returns the copier of a type within others, and false if there is none: of a type that decodes itself, that
// contains itself, or that JSON is not decoded into.
func copierOf(kind reflect.Type, within []reflect.Type) (copier, bool) {
	switch kind {
	case reflect.TypeFor[time.Time]():
		return nil, true
	case reflect.TypeFor[json.RawMessage]():
		return sliceCopier(nil), true
	case reflect.TypeFor[[]string]():
		return copyStrings, true
	case reflect.TypeFor[any]():
		return copyTree, true
	}
	for _, outer := range within {
		if outer == kind {
			return nil, false
		}
	}
	if pointer := reflect.PointerTo(kind); pointer.Implements(jsonUnmarshaler) || pointer.Implements(textUnmarshaler) {
		return nil, false
	}
	within = append(within, kind)
	switch kind.Kind() {
	case reflect.Struct:
		return structCopier(kind, within)
	case reflect.Slice, reflect.Pointer, reflect.Map, reflect.Array:
		part, isCopyable := copierOf(kind.Elem(), within)
		switch {
		case !isCopyable:
			return nil, false
		case kind.Kind() == reflect.Slice:
			return sliceCopier(part), true
		case kind.Kind() == reflect.Pointer:
			return pointerCopier(part), true
		case kind.Kind() == reflect.Map:
			return mapCopier(part), true
		}
		return arrayCopier(part), true
	case reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return nil, false
	}
	return nil, true
}

// structCopier copies the fields that need it. JSON is not decoded into unexported ones, which stay zero.
func structCopier(kind reflect.Type, within []reflect.Type) (copier, bool) {
	type field struct {
		index int
		copy  copier
	}
	var parts []field
	for i := range kind.NumField() {
		declared := kind.Field(i)
		if !declared.IsExported() && !declared.Anonymous {
			continue
		}
		part, isCopyable := copierOf(declared.Type, within)
		if !isCopyable || part != nil && !declared.IsExported() {
			return nil, false
		}
		if part != nil {
			parts = append(parts, field{i, part})
		}
	}
	if len(parts) == 0 {
		return nil, true
	}
	return func(value reflect.Value) {
		for _, part := range parts {
			part.copy(value.Field(part.index))
		}
	}, true
}

// copyStrings does what the copier of a slice does, in half the time.
func copyStrings(value reflect.Value) {
	list := value.Addr().Interface().(*[]string)
	*list = slices.Clone(*list)
}

func sliceCopier(part copier) copier {
	return func(value reflect.Value) {
		if value.IsNil() {
			return
		}
		fresh := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
		reflect.Copy(fresh, value)
		value.Set(fresh)
		copyParts(value, part)
	}
}

func arrayCopier(part copier) copier {
	if part == nil {
		return nil
	}
	return func(value reflect.Value) { copyParts(value, part) }
}

func copyParts(value reflect.Value, part copier) {
	if part == nil {
		return
	}
	for i := range value.Len() {
		part(value.Index(i))
	}
}

func pointerCopier(part copier) copier {
	return func(value reflect.Value) {
		if value.IsNil() {
			return
		}
		fresh := reflect.New(value.Type().Elem())
		fresh.Elem().Set(value.Elem())
		if part != nil {
			part(fresh.Elem())
		}
		value.Set(fresh)
	}
}

func mapCopier(part copier) copier {
	return func(value reflect.Value) {
		if value.IsNil() {
			return
		}
		fresh := reflect.MakeMapWithSize(value.Type(), value.Len())
		each := reflect.New(value.Type().Elem()).Elem()
		for key, old := range value.Seq2() {
			each.Set(old)
			if part != nil {
				part(each)
			}
			fresh.SetMapIndex(key, each)
		}
		value.Set(fresh)
	}
}

// copyTree copies what encoding/json decodes into an any.
func copyTree(value reflect.Value) {
	if tree := treeOf(value.Interface()); tree != nil {
		value.Set(reflect.ValueOf(tree))
	}
}

func treeOf(value any) any {
	switch value := value.(type) {
	case map[string]any:
		fresh := make(map[string]any, len(value))
		for key, each := range value {
			fresh[key] = treeOf(each)
		}
		return fresh
	case []any:
		fresh := make([]any, len(value))
		for i, each := range value {
			fresh[i] = treeOf(each)
		}
		return fresh
	}
	return value
}
