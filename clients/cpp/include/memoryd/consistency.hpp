#pragma once

#include <chrono>
#include <cstdint>
#include <variant>

namespace memoryd {

/// The read has every change of the agent up to this revision, such as that of an earlier set(). It throws
/// RevisionInFuture if the agent has not reached it.
struct MinRevision {
  std::int64_t revision = 0;
};

/// The read has every change that was committed at least this long ago: from 0 to 1 day.
struct MaxStaleness {
  std::chrono::milliseconds staleness{};
};

/// How current a read must be. Both requirements let a daemon that shares its store read from its memory if that
/// suffices. Without one a read has every change that was committed before it.
using Consistency = std::variant<std::monostate, MinRevision, MaxStaleness>;

}  // namespace memoryd
