package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// missing is the value of a key that a mapping does not have, which is not null.
type missing struct{}

// difference describes the first difference between the expected and the actual value. It is empty if they match.
func difference(expected, actual any, path string) string {
	switch expected := expected.(type) {
	case map[string]any:
		if actual, isMapping := actual.(map[string]any); isMapping {
			return differenceOfMappings(expected, actual, path)
		}
	case []any:
		if actual, isSequence := actual.([]any); isSequence {
			return differenceOfSequences(expected, actual, path)
		}
	case json.Number:
		if actual, isNumber := actual.(json.Number); isNumber && sameNumber(expected, actual) {
			return ""
		}
	case string:
		if expected == present && isPresent(actual) || expected == absent && actual == (missing{}) || expected == actual {
			return ""
		}
	default: // true, false and null
		if expected == actual {
			return ""
		}
	}
	return fmt.Sprintf("%s: expected %s, got %s", path, toJSON(expected), shown(actual))
}

func differenceOfMappings(expected, actual map[string]any, path string) string {
	for _, key := range slices.Sorted(maps.Keys(expected)) {
		var value any = missing{}
		if received, isThere := actual[key]; isThere {
			value = received
		}
		if found := difference(expected[key], value, join(path, key)); found != "" {
			return found
		}
	}
	return ""
}

func differenceOfSequences(expected, actual []any, path string) string {
	if len(expected) != len(actual) {
		return fmt.Sprintf("%s: expected %d items, got %s", path, len(expected), toJSON(actual))
	}
	for i := range expected {
		if found := difference(expected[i], actual[i], join(path, fmt.Sprint(i))); found != "" {
			return found
		}
	}
	return ""
}

func isPresent(actual any) bool {
	switch actual := actual.(type) {
	case map[string]any:
		return len(actual) > 0
	case []any:
		return len(actual) > 0
	case json.Number:
		return !sameNumber(actual, "0")
	case missing:
		return false
	}
	// A 64-bit integer is a string in JSON.
	return actual != nil && actual != "" && actual != "0" && actual != false
}

func shown(value any) string {
	if value == (missing{}) {
		return "nothing"
	}
	return toJSON(value)
}

func sameNumber(one, other json.Number) bool {
	left, isNumber := new(big.Rat).SetString(one.String())
	right, isAlso := new(big.Rat).SetString(other.String())
	return isNumber && isAlso && left.Cmp(right) == 0
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
