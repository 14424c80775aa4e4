package memoryd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

// NearCache is a live copy of an agent's entries, scopes and notes in this process, which a watch with its initial state
// keeps current.
//
//	cache, err := agent.NearCache(ctx, memoryd.MaxStaleness(2*time.Second))
//	if err != nil {
//		return err
//	}
//	defer cache.Close()
//	mood, found, err := memoryd.NearGet[string](ctx, cache, "mood")
//
// A read costs no call. It has every write of this client that has returned, and all other changes that were committed at
// least [MaxStaleness] before it. Where that is not certain, as while the daemon cannot be reached, it does what
// [WhenStale] says. A restart of the daemon, and a watch that has lost its place, are recovered from by themselves.
//
// Expiry is checked at each read, by the clock of this process. A NearCache is safe for concurrent use.
type NearCache struct {
	NearMemory
	notes *Notes
}

// NearCache opens a live copy of the agent's entries, scopes and notes in this process. It returns once the copy is
// complete. ctx is for the opening; Close, and closing the client, end the copy.
//
// The error may be ErrCacheFull, ErrInvalidArgument for options that are not allowed, and ErrRecordNotFound for an
// [InScope] that there is not.
func (a *Agent) NearCache(ctx context.Context, options ...NearOption) (*NearCache, error) {
	settings, err := nearSettingsOf(options)
	if err != nil {
		return nil, err
	}
	opened, err := openNearCopy(ctx, a.client, a.agentID, settings)
	if err != nil {
		return nil, err
	}
	memory := a.workingMemory
	return &NearCache{NearMemory{opened, &memory}, a.Notes()}, nil
}

// Close ends the cache. Its reads then ask the daemon, or are refused with [Refuse].
func (c *NearCache) Close() { c.copy.close() }

// Attach returns the entries of an existing scope. Those of one that the cache does not hold are read from the daemon.
func (c *NearCache) Attach(scopeID string) *NearMemory {
	return &NearMemory{c.copy, &c.memory.Attach(scopeID).workingMemory}
}

// Revision returns the agent's revision up to which the cache has all changes.
func (c *NearCache) Revision() int64 {
	c.copy.mutex.RLock()
	defer c.copy.mutex.RUnlock()
	return c.copy.mirror.revision
}

// Staleness returns the time within which the last changes may be missing; the largest Duration once the cache is closed.
func (c *NearCache) Staleness() time.Duration {
	c.copy.mutex.RLock()
	defer c.copy.mutex.RUnlock()
	if c.copy.freshAt == notFresh {
		return unbounded
	}
	return time.Since(started) - c.copy.freshAt
}

// SizeBytes returns the memory that the records take, roughly.
func (c *NearCache) SizeBytes() int64 {
	c.copy.mutex.RLock()
	defer c.copy.mutex.RUnlock()
	return c.copy.mirror.sizeBytes
}

// Note returns a note, and whether there is one. It is a copy.
func (c *NearCache) Note(ctx context.Context, noteID string) (*memorydv1.Note, bool, error) {
	found, isHeld, err := c.findNote(noteID)
	switch {
	case err != nil:
		return nil, false, err
	case isHeld:
		return proto.CloneOf(found), found != nil, nil
	}
	note, err := c.notes.Get(ctx, noteID, nil)
	if errors.Is(err, ErrRecordNotFound) {
		return nil, false, nil
	}
	return note, err == nil, err
}

// Notes returns the notes about the bound user, or else about none, in the order of their creation. They are copies.
func (c *NearCache) Notes(ctx context.Context) ([]*memorydv1.Note, error) {
	notes, isHeld, err := c.allNotes()
	switch {
	case err != nil:
		return nil, err
	case !isHeld:
		return c.askNotes(ctx)
	}
	slices.SortFunc(notes, func(one, other *memorydv1.Note) int {
		created := one.GetCreateTime().AsTime().Compare(other.GetCreateTime().AsTime())
		return cmp.Or(created, cmp.Compare(one.GetNoteId(), other.GetNoteId()))
	})
	for i, each := range notes {
		notes[i] = proto.CloneOf(each)
	}
	return notes, nil
}

func (c *NearCache) askNotes(ctx context.Context) ([]*memorydv1.Note, error) {
	var notes []*memorydv1.Note
	for note, err := range c.notes.List(ctx, nil) {
		if err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	return notes, nil
}

// findNote returns a note of the mirror, or nil, and whether the cache may be asked.
func (c *NearCache) findNote(noteID string) (*memorydv1.Note, bool, error) {
	c.copy.mutex.RLock()
	defer c.copy.mutex.RUnlock()
	if isHeld, err := c.copy.mayServe(); !isHeld || !c.copy.settings.notes {
		return nil, false, err
	}
	return c.copy.mirror.notes[noteID], true, nil
}

// allNotes returns the notes of the bound user, or of none, in any order.
func (c *NearCache) allNotes() ([]*memorydv1.Note, bool, error) {
	c.copy.mutex.RLock()
	defer c.copy.mutex.RUnlock()
	if isHeld, err := c.copy.mayServe(); !isHeld || !c.copy.settings.notes {
		return nil, false, err
	}
	var notes []*memorydv1.Note
	for _, each := range c.copy.mirror.notes {
		if each.GetUserId() == c.memory.userID {
			notes = append(notes, each)
		}
	}
	return notes, true, nil
}
