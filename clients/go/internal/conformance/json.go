package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// fromJSON decodes JSON text, and keeps all digits of its numbers.
func fromJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// toJSON encodes a value as one line of JSON text.
func toJSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // every value here was decoded from JSON
	}
	return strings.TrimSuffix(text.String(), "\n")
}
