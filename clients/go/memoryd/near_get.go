package memoryd

import (
	"context"
	"encoding/json"
	"strconv"
)

// NearGet returns the value under a key, and whether there is one, as [Get] does. It belongs to the
// caller: it is decoded once, and each read returns a copy; a type that decodes itself, as by UnmarshalJSON, is decoded by each
// read. Strings, numbers and bools need no memory. [NearMemory.GetJSON] returns the text.
func NearGet[T any](ctx context.Context, m NearReader, key string, options ...NearReadOption) (T, bool, error) {
	var none T
	near := m.near()
	found, isHeld, err := near.find(key, isLocalOnly(options))
	switch {
	case err != nil:
		return none, false, err
	case !isHeld:
		return Get[T](ctx, near.memory, key, lookups(options)...)
	case found == nil:
		return none, false, nil
	}
	value, err := valueIn[T](found)
	return value, err == nil, err
}

// NearGetMany returns the values of keys, all at one revision. Keys without a value are left out. The keys may be at most
// 1,000 if the daemon is asked.
func NearGetMany[T any](
	ctx context.Context, m NearReader, keys []string, options ...NearReadOption,
) (map[string]T, error) {
	near := m.near()
	found, isHeld, err := near.findAll(keys, isLocalOnly(options))
	switch {
	case err != nil:
		return nil, err
	case !isHeld:
		return GetMany[T](ctx, near.memory, keys, lookups(options)...)
	}
	values := make(map[string]T, len(found))
	for _, each := range found {
		value, err := valueIn[T](each)
		if err != nil {
			return nil, err
		}
		values[each.message.GetKey()] = value
	}
	return values, nil
}

func valueIn[T any](entry *mirroredEntry) (T, error) {
	if value, isPlain := plainAs[T](entry.plain); isPlain {
		return value, nil
	}
	if value, isKept := copyOf[T](entry.decoded.Load()); isKept {
		return value, nil
	}
	value, err := Decode[T](entry.message)
	if err != nil {
		return value, err
	}
	kept := keepDecoded(&value)
	if kept == nil {
		return value, nil
	}
	entry.decoded.Store(kept)
	given, _ := copyOf[T](kept)
	return given, nil
}

// plainAs converts a plain value as encoding/json does, and returns false where that would take more than this.
func plainAs[T any](plain any) (T, bool) {
	if value, isSame := plain.(T); isSame {
		return value, true
	}
	var value T
	number, isNumber := plain.(json.Number)
	if !isNumber {
		return value, false
	}
	var err error
	switch to := any(&value).(type) {
	case *int:
		*to, err = strconv.Atoi(string(number))
	case *int64:
		*to, err = strconv.ParseInt(string(number), 10, 64)
	case *float64:
		*to, err = strconv.ParseFloat(string(number), 64)
	default:
		return value, false
	}
	return value, err == nil
}
