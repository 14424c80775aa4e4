package memoryd

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const (
	rootScope = ""
	// recordBytes is the memory that a record takes beside its texts.
	recordBytes = 1_000
	// elementBytes is the memory that an element of a decoded list or object takes beside its text.
	elementBytes = 64
	never        = math.MaxInt64
)

// mirroredEntry is an entry of a mirror, which never changes, apart from what is kept for later reads.
type mirroredEntry struct {
	message *memorydv1.Entry
	// expireAt is when it expires, in nanoseconds since the epoch.
	expireAt int64
	// plain is the decoded value if it is a string, a number (json.Number) or a bool; otherwise nil. Of lists and objects
	// each reader needs a copy, which it may change.
	plain any
	// decoded is the value as the last type that it was decoded into.
	decoded atomic.Pointer[decodedValue]
}

type mirroredEntries map[string]*mirroredEntry

// mirror is a copy of an agent's entries, scopes and notes at a revision, built from nothing but a watch with its initial
// state. Commits are applied whole, in order.
type mirror struct {
	revision int64
	// lives is the number of ends of the agent.
	lives int
	// exists is true if a record says so: where none is selected, the agent may exist nonetheless.
	exists bool
	// hasEnded is true if the last commit has ended the agent.
	hasEnded   bool
	isComplete bool
	sizeBytes  int64
	notes      map[string]*memorydv1.Note
	// paths are where a look-up in a scope reads: its own entries, those of its ancestors, and the root's at last.
	paths map[string][]mirroredEntries

	bytesMax int64
	// clock returns the nanoseconds since the epoch.
	clock      func() int64
	unfinished []*memorydv1.Event
}

func newMirror(bytesMax int64, clock func() int64) *mirror {
	mirror := &mirror{bytesMax: bytesMax, clock: clock}
	mirror.empty()
	return mirror
}

func wallClock() int64 { return time.Now().UnixNano() }

// apply applies a message. The events of a commit that continues in the next message wait for it, also across connections.
// The error is ErrCacheFull if the records take more memory than they may.
func (m *mirror) apply(message *memorydv1.WatchEventsResponse) error {
	if message.GetPhase() == memorydv1.WatchPhase_WATCH_PHASE_OPENED {
		return nil
	}
	if message.GetRevisionContinues() {
		m.unfinished = append(m.unfinished, message.GetEvents()...)
		return nil
	}
	if message.GetRevision() != m.revision {
		m.hasEnded = false
	}
	for _, event := range m.unfinished {
		m.change(event)
	}
	m.unfinished = nil
	for _, event := range message.GetEvents() {
		m.change(event)
	}
	m.revision = message.GetRevision()
	if message.GetPhase() == memorydv1.WatchPhase_WATCH_PHASE_INITIAL_STATE_COMPLETE {
		m.isComplete = true
	}
	if m.sizeBytes > m.bytesMax {
		return fmt.Errorf("%w: its records take more than %d bytes", ErrCacheFull, m.bytesMax)
	}
	return nil
}

// find returns what a look-up in a scope finds, or nil, and whether there is the scope.
func (m *mirror) find(scopeID, key string, localOnly bool) (*mirroredEntry, bool) {
	path, isHeld := m.paths[scopeID]
	if localOnly && isHeld {
		path = path[:1]
	}
	for _, entries := range path {
		if found := entries[key]; found != nil && m.isAlive(found) {
			return found, true
		}
	}
	return nil, isHeld
}

// entries returns the entries of a scope whose keys start with a prefix, in any order, with those that the scope
// inherits if wanted, and whether there is the scope.
func (m *mirror) entries(scopeID, keyPrefix string, inherited bool) ([]*mirroredEntry, bool) {
	path, isHeld := m.paths[scopeID]
	if !inherited && isHeld {
		path = path[:1]
	}
	var all []*mirroredEntry
	seen := map[string]bool{}
	for _, entries := range path {
		for key, found := range entries {
			if strings.HasPrefix(key, keyPrefix) && !seen[key] && m.isAlive(found) {
				seen[key] = inherited
				all = append(all, found)
			}
		}
	}
	return all, isHeld
}

func (m *mirror) isAlive(entry *mirroredEntry) bool {
	return entry.expireAt == never || m.clock() < entry.expireAt
}

func (m *mirror) empty() {
	m.paths = map[string][]mirroredEntries{rootScope: {{}}}
	m.notes = map[string]*memorydv1.Note{}
	m.sizeBytes = 0
}

func (m *mirror) change(event *memorydv1.Event) {
	m.hasEnded = event.GetType() == memorydv1.EventType_EVENT_TYPE_AGENT_ENDED
	m.exists = !m.hasEnded
	if !m.exists {
		m.empty()
		m.lives++
		return
	}
	switch subject := event.GetSubject().(type) {
	case *memorydv1.Event_Entry:
		m.setEntry(subject.Entry.GetScopeId(), subject.Entry.GetKey(), subject.Entry.GetEntry())
	case *memorydv1.Event_Scope:
		m.changeScope(event.GetType(), subject.Scope)
	case *memorydv1.Event_Note:
		m.setNote(subject.Note.GetNoteId(), subject.Note.GetNote())
	case *memorydv1.Event_Cleared:
		switch event.GetType() {
		case memorydv1.EventType_EVENT_TYPE_ENTRIES_CLEARED:
			m.clearEntries(subject.Cleared.GetScopeId())
		case memorydv1.EventType_EVENT_TYPE_NOTES_CLEARED:
			for noteID := range m.notes {
				m.setNote(noteID, nil)
			}
		}
	}
}

func (m *mirror) changeScope(what memorydv1.EventType, scope *memorydv1.ScopeEvent) {
	scopeID := scope.GetScopeId()
	if what == memorydv1.EventType_EVENT_TYPE_SCOPE_DISPOSED {
		m.clearEntries(scopeID)
		delete(m.paths, scopeID)
		return
	}
	if _, isHeld := m.paths[scopeID]; !isHeld {
		m.paths[scopeID] = append([]mirroredEntries{{}}, m.paths[scope.GetParentScopeId()]...)
	}
}

// setEntry stores an entry, or removes it if it is nil. Those of scopes that the mirror does not have are left out.
func (m *mirror) setEntry(scopeID, key string, entry *memorydv1.Entry) {
	path, isHeld := m.paths[scopeID]
	if !isHeld {
		return
	}
	if before := path[0][key]; before != nil {
		m.sizeBytes -= entryBytes(before.message)
	}
	if entry == nil {
		delete(path[0], key)
		return
	}
	path[0][key] = mirrored(entry)
	m.sizeBytes += entryBytes(entry)
}

func (m *mirror) setNote(noteID string, note *memorydv1.Note) {
	if before := m.notes[noteID]; before != nil {
		m.sizeBytes -= noteBytes(before)
	}
	if note == nil {
		delete(m.notes, noteID)
		return
	}
	m.notes[noteID] = note
	m.sizeBytes += noteBytes(note)
}

func (m *mirror) clearEntries(scopeID string) {
	path, isHeld := m.paths[scopeID]
	if !isHeld {
		return
	}
	for _, each := range path[0] {
		m.sizeBytes -= entryBytes(each.message)
	}
	// The map itself is part of the paths of the scopes below.
	clear(path[0])
}

// entryBytes counts what reads decode and keep from the beginning, so that no read makes a cache too large.
func entryBytes(entry *memorydv1.Entry) int64 {
	return int64(recordBytes+len(entry.GetKey())+len(entry.GetValueJson())) + decodedBytes(entry.GetValueJson())
}

// decodedBytes is the memory that the decoded value of a list or an object takes, roughly. Other values take none.
func decodedBytes(text string) int64 {
	if !isTree(text) {
		return 0
	}
	return int64(len(text) + elementBytes*(1+strings.Count(text, ",")))
}

// isTree reports whether JSON text is a list or an object.
func isTree(text string) bool {
	first := strings.TrimLeft(text, " \t\r\n")
	return first != "" && (first[0] == '{' || first[0] == '[')
}

func noteBytes(note *memorydv1.Note) int64 {
	return int64(recordBytes + len(note.GetTitle()) + len(note.GetContent()))
}

func mirrored(entry *memorydv1.Entry) *mirroredEntry {
	return &mirroredEntry{message: entry, expireAt: expiryOf(entry), plain: plainOf(entry.GetValueJson())}
}

func expiryOf(entry *memorydv1.Entry) int64 {
	// Nanoseconds since the epoch end in the year 2262.
	if entry.GetExpireTime() == nil || entry.GetExpireTime().GetSeconds() >= never/int64(time.Second) {
		return never
	}
	return entry.GetExpireTime().AsTime().UnixNano()
}

func plainOf(text string) any {
	switch {
	case text == "" || isTree(text):
		return nil
	case len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' && strings.IndexByte(text, '\\') < 0:
		return text[1 : len(text)-1] // shares the memory of the text
	}
	value, err := decode[any](text)
	if err != nil {
		return nil
	}
	switch value.(type) {
	case string, bool, json.Number:
		return value
	}
	return nil
}
