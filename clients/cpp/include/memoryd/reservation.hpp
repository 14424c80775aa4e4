#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "memoryd/entry.hpp"

namespace memoryd {

/// The options of WorkingMemory::get_or_set.
struct GetOrSetOptions {
  /// The attributes of the entry that is stored.
  EntryOptions entry{};
  Lookup lookup = Lookup::with_parents;
  /// The lease of the reservation, from 100 ms to 10 minutes. It is renewed while the factory runs.
  std::chrono::milliseconds lease = std::chrono::seconds(10);
  /// The time to wait for another caller's value, after which DeadlineExceeded is thrown. Default: no limit.
  std::optional<std::chrono::milliseconds> wait{};
  /// Ends the wait with Cancelled. A running factory is not interrupted.
  std::stop_token stop{};
};

}  // namespace memoryd
