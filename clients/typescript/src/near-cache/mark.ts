import type { Mirror } from "./mirror.js";

/** A state that a mirror is to reach: a revision, in the life of the agent that `lives` counts. */
export interface Mark {
  /** 0 if the agent does not exist. */
  readonly revision: bigint;
  readonly lives: number;
}

/** Returns true if the mirror has all changes up to the mark. */
export function isReached(mark: Mark, mirror: Mirror): boolean {
  if (mirror.lives < mark.lives) {
    return false;
  }
  return mark.revision === 0n && mirror.revision > 0n ? !mirror.exists : mirror.revision >= mark.revision;
}

/** Returns true if a mirror that has reached the first mark has reached the second one, too. */
export function includes(mark: Mark, other: Mark): boolean {
  return other.lives <= mark.lives && other.revision <= mark.revision;
}

/** Returns the mark that a mirror has reached. */
export function markAt(mirror: Mirror): Mark {
  return { revision: mirror.hasEnded ? 0n : mirror.revision, lives: mirror.lives };
}

/**
 * Returns the mark of a revision that the daemon has just returned. `before` was the mirror's before the call. A revision
 * that is lower is of a later life: the agent has ended meanwhile, or the store is another one.
 */
export function markOf(revision: bigint, before: Mark): Mark {
  return { revision, lives: before.lives + Number(revision > 0n && revision < before.revision) };
}
