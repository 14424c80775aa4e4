package memoryd_test

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// stub is a working memory as a user writes it for tests: it implements what they call.
type stub struct {
	memoryd.WorkingMemory
	values map[string]string
}

func (s *stub) GetEntry(
	_ context.Context, key string, _ ...memoryd.ReadOption,
) (*memorydv1.Entry, bool, error) {
	text, found := s.values[key]
	entry := &memorydv1.Entry{Key: key, ValueJson: text}
	return entry, found, nil
}

func (s *stub) Set(
	_ context.Context, key string, value any, _ ...memoryd.SetOption,
) (*memorydv1.SetEntryResponse, error) {
	text, err := json.Marshal(value)
	s.values[key] = string(text)
	return &memorydv1.SetEntryResponse{}, err
}

func TestAWorkingMemoryMayBeImplementedByItsUser(t *testing.T) {
	ctx, memory := t.Context(), &stub{values: map[string]string{"a": "1"}}
	if value, found, err := memoryd.Get[int](ctx, memory, "a"); value != 1 || !found || err != nil {
		t.Errorf("it is %d, %v, %v", value, found, err)
	}
	increment := func(value int, _ bool) (int, error) { return value + 1, nil }
	if value, err := memoryd.Update(ctx, memory, "a", increment); value != 2 || err != nil {
		t.Errorf("it is %d, %v", value, err)
	}
	three := func(context.Context) (int, error) { return 3, nil }
	for key, expected := range map[string]int{"a": 2, "b": 3} {
		if value, err := memoryd.GetOrSet(ctx, memory, key, three, memoryd.LocalOnly()); value != expected || err != nil {
			t.Errorf("%s is %d, %v", key, value, err)
		}
	}
	values, err := memoryd.GetMany[int](ctx, memory, []string{"a", "b", "none"})
	if !maps.Equal(values, map[string]int{"a": 2, "b": 3}) || err != nil {
		t.Errorf("they are %v, %v", values, err)
	}
}
