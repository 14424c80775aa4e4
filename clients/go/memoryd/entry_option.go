package memoryd

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const secondsPerDay = 24 * 60 * 60

// SetOption is an option of Set: an [EntryOption] or a [Condition].
type SetOption interface {
	applySet(*memorydv1.SetEntryRequest) error
}

// EntryOption sets an attribute of the entry that is stored. It is an option of Set, [Update] and [GetOrSet], and of the
// changes of a [Tx].
type EntryOption interface {
	SetOption
	GetOrSetOption
	DefaultOption
}

type option func(*memorydv1.SetEntryRequest) error

func (o option) applySet(request *memorydv1.SetEntryRequest) error { return o(request) }

// entryOption gives a field, by its name in an update mask.
type entryOption struct {
	field string
	apply func(*memorydv1.SetEntryRequest) error
}

func (o entryOption) applySet(request *memorydv1.SetEntryRequest) error {
	give(request, o.field)
	return o.apply(request)
}

// give notes that a field is given, if the request keeps the others.
func give(request *memorydv1.SetEntryRequest, field string) {
	if mask := request.GetUpdateMask(); mask != nil && !slices.Contains(mask.GetPaths(), field) {
		mask.Paths = append(mask.Paths, field)
	}
}

func (o entryOption) applyGetOrSet(asked *reservation) { asked.content = append(asked.content, o) }

// WithTypeName sets the name that the writer uses for the value's type.
func WithTypeName(name string) EntryOption {
	return entryOption{"type_name", func(request *memorydv1.SetEntryRequest) error {
		request.TypeName = name
		return nil
	}}
}

// WithEntryType sets the type of the entry; a fact by default.
func WithEntryType(entryType memorydv1.EntryType) EntryOption {
	return entryOption{"type", func(request *memorydv1.SetEntryRequest) error {
		request.Type = entryType
		return nil
	}}
}

// WithImportance sets the importance, from 0 to 1; 0.5 by default.
func WithImportance(importance float64) EntryOption {
	return entryOption{"importance", func(request *memorydv1.SetEntryRequest) error {
		request.Importance = &importance
		return nil
	}}
}

// WithTags sets the entry's tags, at most 64.
func WithTags(tags ...string) EntryOption {
	return entryOption{"tags", func(request *memorydv1.SetEntryRequest) error {
		request.Tags = slices.Clone(tags)
		return nil
	}}
}

// WithMetadata sets additional JSON values that the writer defines. Numbers are doubles: store integers beyond 2^53 in
// the entry's value instead.
func WithMetadata(metadata map[string]any) EntryOption {
	return entryOption{"metadata", func(request *memorydv1.SetEntryRequest) error {
		request.Metadata = &structpb.Struct{}
		return putJSON(request.Metadata, "metadata", metadata)
	}}
}

// WithUserID sets the user that the entry or the scope is about; by default the bound user (see [Agent.User]), or else
// none.
func WithUserID(userID string) interface {
	EntryOption
	ScopeOption
} {
	return withUserID(userID)
}

type withUserID string

func (u withUserID) applySet(request *memorydv1.SetEntryRequest) error {
	give(request, "user_id")
	request.UserId = string(u)
	return nil
}

func (u withUserID) applyGetOrSet(asked *reservation) { asked.content = append(asked.content, u) }

func (u withUserID) applyScope(request *memorydv1.CreateScopeRequest) { request.UserId = string(u) }

// WithTTL makes the entry expire after this time. The last of WithTTL, WithExpireTime and WithExpiryDays applies.
func WithTTL(ttl time.Duration) EntryOption { return withTTL(durationpb.New(ttl)) }

// WithExpiryDays makes the entry expire after this number of days.
func WithExpiryDays(days int32) EntryOption {
	// Not a time.Duration, which ends at 292 years: the daemon refuses too many days.
	return withTTL(&durationpb.Duration{Seconds: int64(days) * secondsPerDay})
}

// WithExpireTime makes the entry expire at this moment.
func WithExpireTime(moment time.Time) EntryOption {
	return entryOption{"expire_time", func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_ExpireTime{ExpireTime: timestamppb.New(moment)}
		return nil
	}}
}

// WithoutExpiry ends the expiry of an entry that [Update] changes: it then never expires, unless the agent has a default.
func WithoutExpiry() EntryOption {
	return entryOption{"expire_time", func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = nil
		return nil
	}}
}

func withTTL(ttl *durationpb.Duration) EntryOption {
	return entryOption{"expire_time", func(request *memorydv1.SetEntryRequest) error {
		request.Expiry = &memorydv1.SetEntryRequest_Ttl{Ttl: ttl}
		return nil
	}}
}

// setRequest returns the request to set a value in the agent or scope.
func (m *workingMemory) setRequest(key string, value any, options []SetOption) (*memorydv1.SetEntryRequest, error) {
	request, err := m.content(key, value, options)
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

// content returns the request to set a value about the bound user, unless the options name another.
func (m *workingMemory) content(key string, value any, options []SetOption) (*memorydv1.SetEntryRequest, error) {
	request, err := contentOf(key, value, options)
	if err == nil && !namesUser(options) {
		request.UserId = m.userID
	}
	return request, err
}

// namesUser reports whether there is a [WithUserID] among the options, which may name none.
func namesUser(options []SetOption) bool {
	return slices.ContainsFunc(options, func(option SetOption) bool {
		_, names := option.(withUserID)
		return names
	})
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
