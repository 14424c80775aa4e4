package memoryd

import memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"

// ReadOption is an option of reading a key.
type ReadOption interface {
	applyRead(*lookup)
}

// LocalOnly reads the scope alone, and does not fall back to its parents.
func LocalOnly() interface {
	ReadOption
	GetOrSetOption
} {
	return localOnly{}
}

type lookup struct {
	localOnly bool
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

// ListOption is an option of Entries. Only entries that match all filters among the options are listed.
type ListOption interface {
	applyList(*memorydv1.ListEntriesRequest)
}

type listOption func(*memorydv1.ListEntriesRequest)

func (o listOption) applyList(request *memorydv1.ListEntriesRequest) { o(request) }

// Inherited lists every entry that a read in the scope finds: the nearest one of each key, up to the root.
func Inherited() ListOption {
	return listOption(func(request *memorydv1.ListEntriesRequest) { request.IncludeInherited = true })
}

// Tagged lists only entries that have all of these tags.
func Tagged(tags ...string) ListOption {
	return listOption(func(request *memorydv1.ListEntriesRequest) { request.Tags = tags })
}

// OfTypes lists only entries of these types.
func OfTypes(types ...memorydv1.MemoryType) ListOption {
	return listOption(func(request *memorydv1.ListEntriesRequest) { request.MemoryTypes = types })
}

// WithKeyPrefix selects the keys that start with prefix. A watch also emits the events that are not about one entry.
func WithKeyPrefix(prefix string) interface {
	ListOption
	WatchOption
} {
	return keyPrefix(prefix)
}

// WithoutValues omits the values of entries.
func WithoutValues() interface {
	ListOption
	WatchOption
} {
	return withoutValues{}
}

type keyPrefix string

func (p keyPrefix) applyList(request *memorydv1.ListEntriesRequest) { request.KeyPrefix = string(p) }

func (p keyPrefix) applyWatch(asked *watchRequest) {
	for _, filter := range asked.eventFilters() {
		filter.KeyPrefix = string(p)
	}
}

type withoutValues struct{}

func (withoutValues) applyList(request *memorydv1.ListEntriesRequest) {
	request.PayloadMode = memorydv1.PayloadMode_PAYLOAD_MODE_METADATA_ONLY
}

func (withoutValues) applyWatch(asked *watchRequest) {
	asked.message.PayloadMode = memorydv1.PayloadMode_PAYLOAD_MODE_METADATA_ONLY
}
