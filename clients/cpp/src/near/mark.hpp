#pragma once

#include <algorithm>
#include <cstdint>

#include "near/mirror.hpp"

namespace memoryd::detail {

/// A state that a mirror is to reach: a revision, in the life of the agent that `lives` counts.
struct Mark {
  std::int64_t revision = 0;
  int lives = 0;

  /// Returns the state that a mirror has reached.
  [[nodiscard]] static Mark at(const Mirror& mirror) {
    return {mirror.has_ended() ? 0 : mirror.revision(), mirror.lives()};
  }

  /// Returns the state of a revision that the daemon has just returned. `before` was the mirror's before the call.
  ///
  /// A revision that is lower is of a later life: the agent has ended meanwhile, or the store is another one.
  [[nodiscard]] static Mark of(std::int64_t revision, const Mark& before) {
    return {revision, before.lives + (0 < revision && revision < before.revision ? 1 : 0)};
  }

  /// Returns whether the mirror has all changes up to this state.
  [[nodiscard]] bool is_reached(const Mirror& mirror) const {
    if (!mirror.is_complete() || mirror.lives() < lives) {
      return false;
    }
    return revision == 0 ? !mirror.exists() : mirror.revision() >= revision;
  }

  /// Returns the state that is reached last.
  [[nodiscard]] Mark later(const Mark& other) const {
    return {std::max(revision, other.revision), std::max(lives, other.lives)};
  }
};

}  // namespace memoryd::detail
