package memoryd

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// SetOption is what may be said when a value is set: an [EntryOption] or a condition.
type SetOption interface {
	applySet(*memorydv1.SetEntryRequest) error
}

// EntryOption is what may be said about a value that is stored.
type EntryOption func(*memorydv1.SetEntryRequest) error

func (o EntryOption) applySet(request *memorydv1.SetEntryRequest) error { return o(request) }

func (o EntryOption) applyGetOrSet(asked *reservation) { asked.content = append(asked.content, o) }

// WithTypeName sets the writer's name for the value's type.
func WithTypeName(name string) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.TypeName = name
		return nil
	}
}

// WithTags sets labels, at most 64.
func WithTags(tags ...string) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Tags = tags
		return nil
	}
}

// WithMemoryType says what the entry holds; a fact by default.
func WithMemoryType(memoryType memorydv1.MemoryType) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.MemoryType = memoryType
		return nil
	}
}

// WithImportance sets the importance, from 0 to 1; 0.5 by default.
func WithImportance(importance float64) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Importance = &importance
		return nil
	}
}

// WithMetadata sets the writer's own JSON values. Its numbers are doubles: a larger integer belongs in the value.
func WithMetadata(metadata map[string]any) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		text, err := encode(metadata)
		if err != nil {
			return fmt.Errorf("the metadata: %w", err)
		}
		request.Metadata = &structpb.Struct{}
		if err := protojson.Unmarshal([]byte(text), request.Metadata); err != nil {
			return fmt.Errorf("%w: the metadata: %w", ErrUnsupportedValue, err)
		}
		return nil
	}
}

// WithTTL ends the entry after this time. Of WithTTL, WithExpireTime and WithExpiryDays the last one counts.
func WithTTL(ttl time.Duration) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_Ttl{Ttl: durationpb.New(ttl)}
		return nil
	}
}

// WithExpireTime ends the entry at this moment.
func WithExpireTime(moment time.Time) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_ExpireTime{ExpireTime: timestamppb.New(moment)}
		return nil
	}
}

// WithExpiryDays ends the entry after this number of days.
func WithExpiryDays(days int32) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_ExpiryDays{ExpiryDays: days}
		return nil
	}
}

// setRequest returns the request to set a value here.
func (m *workingMemory) setRequest(key string, value any, options []SetOption) (*memorydv1.SetEntryRequest, error) {
	request, err := contentOf(key, value, options)
	if err != nil {
		return nil, err
	}
	request.AgentId = m.agentID
	request.ScopeId = m.scopeID
	return request, nil
}

func setOptions(options []EntryOption) []SetOption {
	all := make([]SetOption, len(options))
	for i, option := range options {
		all[i] = option
	}
	return all
}

func contentOf(key string, value any, options []SetOption) (*memorydv1.SetEntryRequest, error) {
	text, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("the value of %q: %w", key, err)
	}
	request := &memorydv1.SetEntryRequest{
		Key:     key,
		Content: &memorydv1.SetEntryRequest_ValueJson{ValueJson: text},
	}
	for _, option := range options {
		if err := option.applySet(request); err != nil {
			return nil, fmt.Errorf("the entry of %q: %w", key, err)
		}
	}
	return request, nil
}
