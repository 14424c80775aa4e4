package memoryd

// mark is a state that a mirror is to reach: a revision, in the life of the agent that lives counts.
type mark struct {
	revision int64
	lives    int
}

// isReached reports whether the mirror has all changes up to this one.
func (m mark) isReached(mirror *mirror) bool {
	switch {
	case !mirror.isComplete || mirror.lives < m.lives:
		return false
	case m.revision == 0:
		return !mirror.exists
	}
	return mirror.revision >= m.revision
}

// markAt returns the mark that a mirror has reached.
func markAt(mirror *mirror) mark {
	if mirror.hasEnded {
		return mark{0, mirror.lives}
	}
	return mark{mirror.revision, mirror.lives}
}

// markOf returns the mark of a revision that the daemon has just returned. before was the mirror's before the call.
//
// A revision that is lower is of a later life: the agent has ended meanwhile, or the store is another one.
func markOf(revision int64, before mark) mark {
	if 0 < revision && revision < before.revision {
		return mark{revision, before.lives + 1}
	}
	return mark{revision, before.lives}
}

// later returns the mark that is reached last.
func (m mark) later(other mark) mark {
	return mark{max(m.revision, other.revision), max(m.lives, other.lives)}
}
