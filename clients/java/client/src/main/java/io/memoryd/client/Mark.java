package io.memoryd.client;

/**
 * A state that a mirror is to reach.
 *
 * @param revision the agent's revision, 0 if there is no agent
 * @param lives the life of the agent, as the number of its ends before
 */
record Mark(long revision, int lives) {
  /** Any state that is complete. */
  static final Mark ANY = new Mark(-1, 0);

  /** Returns the state that a mirror has reached. */
  static Mark at(Mirror mirror) {
    return new Mark(mirror.hasEnded() ? 0 : mirror.revision(), mirror.lives());
  }

  /**
   * Returns the state of a revision that the daemon has just returned. A lower one than that of the
   * mirror before the call is of a later life: the agent has ended meanwhile, or the store is
   * another one.
   */
  static Mark of(long revision, Mark before) {
    boolean isLater = 0 < revision && revision < before.revision;
    return new Mark(revision, isLater ? before.lives + 1 : before.lives);
  }

  /** Returns whether a mirror has all changes up to this one. */
  boolean isReachedBy(Mirror mirror) {
    if (!mirror.isComplete() || mirror.lives() < lives) {
      return false;
    }
    return revision == 0 ? !mirror.exists() : mirror.revision() >= revision;
  }

  /** Returns the state that is reached last. */
  Mark later(Mark other) {
    return new Mark(Math.max(revision, other.revision), Math.max(lives, other.lives));
  }
}
