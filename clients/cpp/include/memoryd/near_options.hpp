#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace memoryd {

/// Selects what a read of a near cache does while the cache may be older than its NearCacheOptions::max_staleness, as
/// when the daemon cannot be reached: the daemon answers it, it throws StaleRead, or it returns what the cache has.
enum class WhenStale { ask, refuse, serve };

/// The options of Agent::near_cache().
struct NearCacheOptions {
  /// Each read has all changes that were committed at least this long before it: at least 100 ms. None is no bound: the
  /// cache makes no calls to find out how current it is, and its reads have the changes of others once they arrive.
  std::optional<std::chrono::milliseconds> max_staleness = std::chrono::seconds(5);
  /// What a read does while that is not certain.
  WhenStale when_stale = WhenStale::ask;
  /// If set, only this scope, those below it, and those that it inherits from are held.
  std::string scope_id{};
  /// Only the entries whose keys start with it are held. Reads of other keys are calls to the daemon.
  std::string key_prefix{};
  /// If false, no notes are held, and reads of notes are calls to the daemon.
  bool notes = true;
  /// The maximum memory of the records in bytes, roughly. A cache that would take more cannot be opened. One that grows
  /// beyond it forgets its records, and its reads ask the daemon, or are refused with WhenStale::refuse.
  std::int64_t max_bytes = 64 * 1024 * 1024;
  /// Ends the opening with Cancelled.
  std::stop_token stop{};
};

/// Selects the entries that a near cache lists.
struct NearListOptions {
  /// If true, the listing includes the entries that a read would find in the parents: the nearest one of each key.
  bool inherited = false;
  /// Selects the keys that start with it.
  std::string key_prefix{};
};

}  // namespace memoryd
