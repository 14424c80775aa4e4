//! States of an agent that a mirror is to reach.

use crate::mirror::Mirror;

/// A state that a mirror is to reach: a revision, in the life of the agent that `lives` counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    revision: i64,
    lives: u64,
}

impl Mark {
    /// The state of a mirror that has nothing yet.
    pub(crate) const BEGINNING: Self = Self { revision: 0, lives: 0 };
    /// A state of the present life that only a proof or another load shows to be reached.
    pub(crate) const UNKNOWN: Self = Self { revision: i64::MAX, lives: 0 };

    /// Returns the mark that a mirror has reached.
    pub(crate) fn at(mirror: &Mirror) -> Self {
        Self { revision: if mirror.has_ended { 0 } else { mirror.revision }, lives: mirror.lives }
    }

    /// Returns the mark of a revision that the daemon has just returned. `before` was the mirror's before the call.
    ///
    /// A revision that is lower is of a later life: the agent has ended meanwhile, or the store is another one.
    pub(crate) fn of(revision: i64, before: Self) -> Self {
        Self { revision, lives: before.lives + u64::from(0 < revision && revision < before.revision) }
    }

    /// Returns whether the mirror has all changes up to this one.
    pub(crate) fn is_reached(self, mirror: &Mirror) -> bool {
        if !mirror.is_complete || mirror.lives < self.lives {
            return false;
        }
        if self.revision == 0 { !mirror.exists } else { mirror.revision >= self.revision }
    }

    /// Returns whether the mirror will have the state soon. It will not while it is being loaded; and a state of a later
    /// life is either of another store, or the response to a repeated request, which the next proof finds out.
    pub(crate) fn is_expected(self, mirror: &Mirror) -> bool {
        mirror.is_complete && self.lives <= mirror.lives
    }

    /// Returns the mark that is reached last.
    pub(crate) fn later(self, other: Self) -> Self {
        Self { revision: self.revision.max(other.revision), lives: self.lives.max(other.lives) }
    }
}
