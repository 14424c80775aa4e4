#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "memoryd/entry.hpp"

namespace memoryd {

/// How WorkingMemory::get_or_set waits for others, and what it says about a value that it stores.
struct GetOrSetOptions {
  EntryOptions entry{};
  Lookup lookup = Lookup::with_parents;
  /// How long the caller whose factory runs is believed to live: 100 ms to 10 minutes. It is renewed meanwhile.
  std::chrono::milliseconds lease = std::chrono::seconds(30);
  /// How long to wait for the value of another caller before DeadlineExceeded; none waits for as long as it takes.
  std::optional<std::chrono::milliseconds> wait{};
  /// Ends the waiting with Cancelled. A factory that runs is not interrupted.
  std::stop_token stop{};
};

}  // namespace memoryd
