package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

const (
	present = "${present}"
	absent  = "${absent}"
)

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// variables maps each name to the text that replaces ${name}.
type variables map[string]string

func newVariables() variables {
	return variables{"agent": newID(), "other": newID()}
}

func newID() string {
	return "scenario-" + strings.ToLower(rand.Text())
}

// with returns a copy with one more variable.
func (v variables) with(name string, value int) variables {
	extended := maps.Clone(v)
	extended[name] = strconv.Itoa(value)
	return extended
}

// fill returns the value with the variables in all of its strings replaced.
func (v variables) fill(value any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		filled := make(map[string]any, len(value))
		for key, item := range value {
			var err error
			if filled[key], err = v.fill(item); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case []any:
		filled := make([]any, len(value))
		for i, item := range value {
			var err error
			if filled[i], err = v.fill(item); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case string:
		return v.fillText(value)
	}
	return value, nil
}

func (v variables) fillText(text string) (string, error) {
	if text == present || text == absent {
		return text, nil
	}
	var unknown error
	filled := variable.ReplaceAllStringFunc(text, func(reference string) string {
		name := strings.Trim(reference, "${}")
		value, known := v[name]
		if !known {
			unknown = fmt.Errorf("there is no variable %s", name)
		}
		return value
	})
	return filled, unknown
}

// save sets a variable to the part of a message at a path such as scopes.0.scope_id.
func (v variables) save(name, path string, message any) error {
	found := message
	for _, part := range strings.Split(path, ".") {
		switch holder := found.(type) {
		case map[string]any:
			found = holder[part]
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index < 0 || index >= len(holder) {
				return fmt.Errorf("the response has no %s", path)
			}
			found = holder[index]
		default:
			return fmt.Errorf("the response has no %s", path)
		}
	}
	switch found := found.(type) {
	case string:
		v[name] = found
	case json.Number, bool:
		v[name] = fmt.Sprint(found)
	default:
		return fmt.Errorf("the response has no text at %s", path)
	}
	return nil
}
