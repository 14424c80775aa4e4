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

// SetOption is an option of Set: an [EntryOption] or a condition.
type SetOption interface {
	applySet(*memorydv1.SetEntryRequest) error
}

// EntryOption sets an attribute of the entry that is stored.
type EntryOption func(*memorydv1.SetEntryRequest) error

func (o EntryOption) applySet(request *memorydv1.SetEntryRequest) error { return o(request) }

func (o EntryOption) applyGetOrSet(asked *reservation) { asked.content = append(asked.content, o) }

// WithTypeName sets the name that the writer uses for the value's type.
func WithTypeName(name string) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.TypeName = name
		return nil
	}
}

// WithTags sets the entry's tags, at most 64.
func WithTags(tags ...string) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Tags = tags
		return nil
	}
}

// WithMemoryType sets the type of the entry; a fact by default.
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

// WithMetadata sets additional JSON values that the writer defines. Numbers are doubles: store integers beyond 2^53 in
// the entry's value instead.
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

// WithTTL makes the entry expire after this time. The last of WithTTL, WithExpireTime and WithExpiryDays applies.
func WithTTL(ttl time.Duration) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_Ttl{Ttl: durationpb.New(ttl)}
		return nil
	}
}

// WithExpireTime makes the entry expire at this moment.
func WithExpireTime(moment time.Time) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_ExpireTime{ExpireTime: timestamppb.New(moment)}
		return nil
	}
}

// WithExpiryDays makes the entry expire after this number of days.
func WithExpiryDays(days int32) EntryOption {
	return func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_ExpiryDays{ExpiryDays: days}
		return nil
	}
}

// setRequest returns the request to set a value in the agent or scope.
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
