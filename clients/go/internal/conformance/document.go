package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// scenario is the content of a file.
type scenario struct {
	Scenario string   `json:"scenario"`
	Rows     []string `json:"rows"`
	Steps    []step   `json:"steps"`
}

// step is a step of any kind. Its kind determines which fields it uses.
type step struct {
	kind string

	Call   string `json:"call"`
	Watch  string `json:"watch"`
	Events string `json:"events"`
	Repeat int    `json:"repeat"`
	Tasks  int    `json:"tasks"`

	Request  any               `json:"request"`
	Response any               `json:"response"`
	Error    any               `json:"error"`
	Save     map[string]string `json:"save"`
	Expect   []any             `json:"expect"`
	Steps    []step            `json:"steps"`
}

// fieldsByKind are the fields that a step of each kind may have besides the one that names its kind.
var fieldsByKind = map[string][]string{
	"call":   {"request", "response", "error", "save"},
	"watch":  {"request", "error"},
	"events": {"expect"},
	"repeat": {"steps"},
	"tasks":  {"steps"},
}

// UnmarshalJSON decodes a step, and rejects fields that do not belong to its kind, and null, which the fields of a step
// could not tell from a field that is missing.
func (s *step) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	for kind := range fieldsByKind {
		if _, isKind := fields[kind]; isKind {
			s.kind = kind
		}
	}
	for name, value := range fields {
		if name != s.kind && !slices.Contains(fieldsByKind[s.kind], name) || string(value) == "null" {
			return fmt.Errorf("not a step: %s", text)
		}
	}
	type plain step
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode((*plain)(s))
}

func readScenario(path string) (scenario, error) {
	var document scenario
	content, err := os.ReadFile(path)
	if err != nil {
		return document, err
	}
	var root yaml.Node
	if err := yaml.Load(content, &root); err != nil {
		return document, err
	}
	value, err := valueOf(&root)
	if err != nil {
		return document, err
	}
	decoder := json.NewDecoder(strings.NewReader(toJSON(value)))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return document, err
	}
	if document.Scenario == "" || len(document.Steps) == 0 {
		return document, errors.New("a scenario must have scenario and steps")
	}
	return document, nil
}

// valueOf returns the value of a node. Only the scalars of JSON have a type; YAML would also convert yes, 1_000 or
// 12:30:00, and differently in each language.
func valueOf(node *yaml.Node) (any, error) {
	if node.Anchor != "" || node.Kind == yaml.AliasNode || node.Style&yaml.TaggedStyle != 0 {
		return nil, fmt.Errorf("line %d has an anchor, an alias or a tag", node.Line)
	}
	switch node.Kind {
	case yaml.DocumentNode:
		return valueOf(node.Content[0])
	case yaml.MappingNode:
		return mappingOf(node)
	case yaml.SequenceNode:
		items := make([]any, len(node.Content))
		for i, item := range node.Content {
			value, err := valueOf(item)
			if err != nil {
				return nil, err
			}
			items[i] = value
		}
		return items, nil
	case yaml.ScalarNode:
		return scalarOf(node), nil
	}
	return nil, errors.New("the document is empty")
}

func mappingOf(node *yaml.Node) (any, error) {
	mapping := map[string]any{}
	for i := 0; i < len(node.Content); i += 2 {
		key, err := valueOf(node.Content[i])
		if err != nil {
			return nil, err
		}
		name, isString := key.(string)
		if !isString {
			return nil, fmt.Errorf("line %d: the key %v is not a string", node.Content[i].Line, key)
		}
		if _, twice := mapping[name]; twice {
			return nil, fmt.Errorf("line %d: duplicate key %s", node.Content[i].Line, name)
		}
		if mapping[name], err = valueOf(node.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return mapping, nil
}

func scalarOf(node *yaml.Node) any {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if node.Style&quoted != 0 {
		return node.Value
	}
	if json.Valid([]byte(node.Value)) {
		if value, err := fromJSON(node.Value); err == nil {
			return value
		}
	}
	return node.Value
}
