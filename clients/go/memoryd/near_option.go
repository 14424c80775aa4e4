package memoryd

import (
	"math"
	"time"
)

const (
	defaultNearStaleness = 5 * time.Second
	minNearStaleness     = 100 * time.Millisecond
	defaultNearBytes     = 64 << 20
	// unbounded is no bound of staleness.
	unbounded time.Duration = math.MaxInt64
	// proofs is how many times a cache finds out how current it is, within the staleness that it may have.
	proofs = 3
)

// NearOption is an option of [Agent.NearCache]: [MaxStaleness] or [AnyStaleness], [WhenStale], [InScope],
// [WithKeyPrefix], [WithoutNotes] and [MaxBytes]. A near cache with a key prefix holds only the entries whose keys start
// with it, and asks the daemon for others.
type NearOption interface {
	applyNear(*nearSettings)
}

type nearOption func(*nearSettings)

func (o nearOption) applyNear(chosen *nearSettings) { o(chosen) }

// nearSettings are the options of a near cache with their defaults, or the reason why they cannot be used.
type nearSettings struct {
	staleness time.Duration
	whenStale StaleRead
	scopeID   string
	keyPrefix string
	notes     bool
	bytesMax  int64
	err       error
}

func nearSettingsOf(options []NearOption) (nearSettings, error) {
	chosen := nearSettings{staleness: defaultNearStaleness, notes: true, bytesMax: defaultNearBytes}
	for _, option := range options {
		option.applyNear(&chosen)
	}
	return chosen, chosen.err
}

// proofInterval is the time between two calls that find out how current the cache is.
func (s nearSettings) proofInterval() time.Duration {
	if s.staleness == unbounded {
		return defaultNearStaleness / proofs
	}
	return s.staleness / proofs
}

// MaxStaleness bounds the staleness of a near cache: each read has all changes that were committed at least this long
// before it. At least 100 ms; 5 s by default.
func MaxStaleness(staleness time.Duration) NearOption {
	return nearOption(func(chosen *nearSettings) {
		if staleness < minNearStaleness {
			chosen.err = invalidArgument("the maximum staleness must be at least %v, not %v", minNearStaleness, staleness)
		}
		chosen.staleness = staleness
	})
}

// AnyStaleness gives the staleness of a near cache no bound: it makes no calls to find out how current it is, and its
// reads have the changes of others once they arrive.
func AnyStaleness() NearOption {
	return nearOption(func(chosen *nearSettings) { chosen.staleness = unbounded })
}

// StaleRead is what a read of a near cache does while the cache may be older than its [MaxStaleness].
type StaleRead int

const (
	// Ask has the daemon answer the read. It is the default.
	Ask StaleRead = iota
	// Refuse fails the read with ErrStaleRead.
	Refuse
	// Serve returns what the cache has.
	Serve
)

// WhenStale sets what reads do while the cache may be older than its [MaxStaleness], as when the daemon cannot be
// reached.
func WhenStale(read StaleRead) NearOption {
	return nearOption(func(chosen *nearSettings) {
		if read < Ask || read > Serve {
			chosen.err = invalidArgument("stale reads are Ask, Refuse or Serve, not %d", read)
		}
		chosen.whenStale = read
	})
}

// InScope holds only this scope, those below it, and those that it inherits from.
func InScope(scopeID string) NearOption {
	return nearOption(func(chosen *nearSettings) { chosen.scopeID = scopeID })
}

// WithoutNotes holds no notes: reads of notes ask the daemon.
func WithoutNotes() NearOption {
	return nearOption(func(chosen *nearSettings) { chosen.notes = false })
}

// MaxBytes limits the memory that the records of a near cache take, roughly, with the lists and objects that its reads
// decode and keep: in bytes, by default 64 MiB. A cache that
// would take more cannot be opened: its error is ErrCacheFull. One that grows beyond it later forgets its records, and
// its reads ask the daemon, or are refused with [Refuse].
func MaxBytes(bytes int64) NearOption {
	return nearOption(func(chosen *nearSettings) {
		if bytes < 1 {
			chosen.err = invalidArgument("the maximum number of bytes must be positive, not %d", bytes)
		}
		chosen.bytesMax = bytes
	})
}

func (p keyPrefix) applyNear(chosen *nearSettings) { chosen.keyPrefix = string(p) }

// NearReadOption is an option of a read of keys in a near cache: [LocalOnly].
type NearReadOption interface {
	ReadOption
	isLocalOnly() bool
}

func (localOnly) isLocalOnly() bool { return true }

func isLocalOnly(options []NearReadOption) bool {
	for _, option := range options {
		if option.isLocalOnly() {
			return true
		}
	}
	return false
}

// lookups returns the options for a read by the daemon.
func lookups(options []NearReadOption) []ReadOption {
	all := make([]ReadOption, len(options))
	for i, option := range options {
		all[i] = option
	}
	return all
}

// NearListOption is an option of [NearMemory.Entries] and [NearMemory.Keys]: [WithKeyPrefix] and [Inherited].
type NearListOption interface {
	ListOption
	applyNearList(*nearListing)
}

type nearListing struct {
	keyPrefix string
	inherited bool
}

func nearListingOf(options []NearListOption) nearListing {
	var chosen nearListing
	for _, option := range options {
		option.applyNearList(&chosen)
	}
	return chosen
}

// listOptions returns the options for a list of the daemon.
func listOptions(options []NearListOption) []ListOption {
	all := make([]ListOption, len(options))
	for i, option := range options {
		all[i] = option
	}
	return all
}

func (p keyPrefix) applyNearList(chosen *nearListing) { chosen.keyPrefix = string(p) }

func (inherited) applyNearList(chosen *nearListing) { chosen.inherited = true }
