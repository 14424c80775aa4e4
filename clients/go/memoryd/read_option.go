package memoryd

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// ReadOption is an option of reading keys: [LocalOnly], [WithMinRevision] or [WithMaxStaleness].
type ReadOption interface {
	applyRead(*lookup)
}

// LocalOnly reads the scope alone, and does not fall back to its parents.
func LocalOnly() interface {
	ReadOption
	NearReadOption
	GetOrSetOption
	DefaultOption
} {
	return localOnly{}
}

// WithMinRevision lets a daemon that shares its store read from its memory if that has every change of the agent up to
// this revision, such as that of an earlier Set. The error is ErrRevisionInFuture if the agent has not reached it.
// Without an option a read has every change that was committed before it.
func WithMinRevision(revision int64) Consistency {
	return Consistency{&memorydv1.Consistency{
		Requirement: &memorydv1.Consistency_MinRevision{MinRevision: revision},
	}}
}

// WithMaxStaleness lets a daemon that shares its store read from its memory if that has every change that was committed
// at least this long ago: from 0 to 1 day. The last of WithMinRevision and WithMaxStaleness applies.
func WithMaxStaleness(staleness time.Duration) Consistency {
	return Consistency{&memorydv1.Consistency{
		Requirement: &memorydv1.Consistency_MaxStaleness{MaxStaleness: durationpb.New(staleness)},
	}}
}

// Consistency says how current a read must be: see [WithMinRevision] and [WithMaxStaleness]. It is a [ReadOption], a
// [ListOption], and a field of the options of other reads. The zero value is no requirement beyond every change that was
// committed before the read.
type Consistency struct {
	message *memorydv1.Consistency
}

func (c Consistency) applyRead(chosen *lookup) { chosen.consistency = c.message }

func (c Consistency) applyList(asked *listing) { asked.request.Consistency = c.message }

type lookup struct {
	localOnly   bool
	consistency *memorydv1.Consistency
}

func lookupOf(options []ReadOption) lookup {
	var chosen lookup
	for _, option := range options {
		option.applyRead(&chosen)
	}
	return chosen
}

type localOnly struct{}

func (localOnly) applyRead(chosen *lookup) { chosen.localOnly = true }

func (localOnly) applyGetOrSet(asked *reservation) { asked.localOnly = true }

// ListOption is an option of Entries. Only entries that match all selections among the options are listed. Each selection
// is made once, by its option or in the filter of [Where]; otherwise the listing fails with ErrInvalidArgument. So does a
// selection that names none of what it selects by.
type ListOption interface {
	applyList(*listing)
}

// listing is the request of a listing, or the reason why its options cannot be used.
type listing struct {
	request *memorydv1.ListEntriesRequest
	err     error
}

func (l *listing) narrow(filter *memorydv1.RecordFilter, err error) {
	if err == nil {
		if l.request.Filter == nil {
			l.request.Filter = &memorydv1.RecordFilter{}
		}
		err = addConditions(l.request.GetFilter(), filter)
	}
	if l.err == nil {
		l.err = err
	}
}

type listOption func(*listing)

func (o listOption) applyList(asked *listing) { o(asked) }

// Inherited lists every entry that a read in the scope finds: the nearest one of each key, up to the root.
func Inherited() NearListOption { return inherited{} }

type inherited struct{}

func (inherited) applyList(asked *listing) { asked.request.IncludeInherited = true }

// WithAllTags lists only entries that have all of these tags.
func WithAllTags(tags ...string) ListOption {
	return listOption(func(asked *listing) { asked.narrow(&memorydv1.RecordFilter{AllTags: tags}, nil) })
}

// WithAnyTags lists only entries that have at least one of these tags.
func WithAnyTags(tags ...string) ListOption {
	return listOption(func(asked *listing) {
		asked.narrow(&memorydv1.RecordFilter{AnyTags: tags}, someOf("tags", tags))
	})
}

// OfTypes lists only entries of these types.
func OfTypes(types ...memorydv1.EntryType) ListOption {
	return listOption(func(asked *listing) {
		asked.narrow(filterOf(&memorydv1.EntryCondition{Types: types}), someOf("types", types))
	})
}

// AboutUsers selects the entries about any of these users, in place of those about the bound user, or else about none, for
// which the empty id stands. A watch without it, and without a bound user, emits events of all users. With it, it also
// emits those that may concern such records, such as those about the whole agent.
func AboutUsers(userIDs ...string) interface {
	ListOption
	WatchOption
} {
	return aboutUsers(userIDs)
}

type aboutUsers []string

func (u aboutUsers) applyList(asked *listing) {
	asked.narrow(&memorydv1.RecordFilter{UserIds: u}, someOf("users", u))
}

func (u aboutUsers) applyWatch(asked *watchRequest) {
	asked.narrow(&memorydv1.EventFilter{Record: &memorydv1.RecordFilter{UserIds: u}}, someOf("users", u))
}

// AboutAllUsers lists the entries about all users and about none, in place of those about the bound user, or else about
// none.
func AboutAllUsers() ListOption {
	return listOption(func(asked *listing) { asked.narrow(&memorydv1.RecordFilter{AllUsers: true}, nil) })
}

// Where lists only entries that filter selects, too.
func Where(filter *memorydv1.RecordFilter) ListOption {
	return listOption(func(asked *listing) { asked.narrow(filter, nil) })
}

func filterOf(condition *memorydv1.EntryCondition) *memorydv1.RecordFilter {
	return &memorydv1.RecordFilter{Kind: &memorydv1.RecordFilter_Entry{Entry: condition}}
}

// OrderedBy lists entries in this order instead of the order of their keys.
func OrderedBy(order memorydv1.ListOrder) ListOption {
	return listOption(func(asked *listing) { asked.request.Order = order })
}

// WithKeyPrefix selects the keys that start with prefix. A watch then emits, besides the events of such entries, those that
// may concern them: about scopes, about all entries of a scope, and about the whole agent.
func WithKeyPrefix(prefix string) interface {
	NearListOption
	WatchOption
	NearOption
} {
	return keyPrefix(prefix)
}

// WithoutContent omits what a writer wrote, such as the values, type names, tags and metadata of entries. Ids, keys,
// numbers, enums and times remain.
func WithoutContent() interface {
	ListOption
	WatchOption
} {
	return withoutContent{}
}

type keyPrefix string

func (p keyPrefix) applyList(asked *listing) {
	if p != "" {
		asked.narrow(filterOf(&memorydv1.EntryCondition{KeyPrefixes: []string{string(p)}}), nil)
	}
}

func (p keyPrefix) applyWatch(asked *watchRequest) {
	asked.narrow(&memorydv1.EventFilter{KeyPrefix: string(p)}, nil)
}

type withoutContent struct{}

func (withoutContent) applyList(asked *listing) {
	asked.request.View = memorydv1.RecordView_RECORD_VIEW_WITHOUT_CONTENT
}

func (withoutContent) applyWatch(asked *watchRequest) {
	asked.message.View = memorydv1.RecordView_RECORD_VIEW_WITHOUT_CONTENT
}
