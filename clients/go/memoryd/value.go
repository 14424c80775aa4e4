package memoryd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// Decode decodes the value of an entry as encoding/json does, with two differences: a number inside an any is a
// json.Number, so that none of its digits are lost, and a json.RawMessage is the text byte for byte as it was written.
//
// The error is ErrWrongType if the value does not fit T.
func Decode[T any](entry *memorydv1.Entry) (T, error) {
	value, err := decode[T](entry.GetValueJson())
	if err != nil {
		return value, fmt.Errorf("%w: the value of %q: %w", ErrWrongType, entry.GetKey(), err)
	}
	return value, nil
}

func decode[T any](text string) (T, error) {
	var value T
	if raw, isRaw := any(&value).(*json.RawMessage); isRaw {
		*raw = json.RawMessage(text)
		return value, nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	return value, err
}

// encode encodes a value as JSON text. A json.RawMessage is passed on unchanged, for the daemon to check. Anything else
// is encoded as encoding/json does, but without the escapes that only HTML needs.
func encode(value any) (string, error) {
	if raw, isRaw := value.(json.RawMessage); isRaw {
		if !utf8.Valid(raw) {
			return "", fmt.Errorf("%w: %w", ErrUnsupportedValue, errors.New("the JSON text is not UTF-8"))
		}
		return string(raw), nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnsupportedValue, err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}
