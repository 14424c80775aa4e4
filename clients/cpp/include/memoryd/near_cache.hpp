#pragma once

#include <memoryd/v1/entry.pb.h>
#include <memoryd/v1/note.pb.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memoryd/agent.hpp"
#include "memoryd/mirrored_entry.hpp"
#include "memoryd/near_options.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd {

namespace detail {
class NearCopy;
}

/// The entries of a scope in a near cache. Reads fall back to the scope's parents up to the root, unless they are
/// Lookup::local_only.
///
/// They return what those of WorkingMemory do, without a call while the cache is current enough. A read that the daemon
/// answers throws the errors of such a call; a read may throw StaleRead. Reads do not count as uses of an entry or of a
/// scope. Copies share the cache. All threads may use it at once.
class NearMemory {
 public:
  /// Returns the id of the agent.
  [[nodiscard]] const std::string& agent_id() const noexcept { return memory_.agent_id(); }

  /// Returns the id of the scope, empty for the root.
  [[nodiscard]] const std::string& scope_id() const noexcept { return memory_.scope_id(); }

  /// Returns the value, or none if there is no entry. Lists and objects are decoded by each read.
  /// @throws WrongType if the value is not a T.
  template <class T = nlohmann::json>
  [[nodiscard]] std::optional<T> get(std::string_view key, Lookup lookup = Lookup::with_parents) const {
    const auto found = find(key, lookup);
    if (!found) {
      return memory_.get<T>(key, lookup);
    }
    return *found ? std::optional<T>((*found)->template value<T>()) : std::nullopt;
  }

  /// Returns the whole entry, without its counts of reads, or none.
  [[nodiscard]] std::optional<v1::Entry> get_entry(std::string_view key, Lookup lookup = Lookup::with_parents) const;

  /// Returns the values of keys, all at one revision. Keys without a value are left out. If the daemon is asked, there
  /// may be at most 1,000.
  /// @throws WrongType if one of them is not a T.
  template <class T = nlohmann::json>
  [[nodiscard]] std::map<std::string, T> get_many(const std::vector<std::string>& keys,
                                                  Lookup lookup = Lookup::with_parents) const {
    const auto found = find_all(keys, lookup);
    if (!found) {
      return memory_.get_many<T>(keys, lookup);
    }
    std::map<std::string, T> values;
    for (const auto& entry : *found) {
      values.emplace(entry->message.key(), entry->template value<T>());
    }
    return values;
  }

  /// Returns whether there is an entry.
  [[nodiscard]] bool contains(std::string_view key, Lookup lookup = Lookup::with_parents) const;

  /// Returns the scope's own entries in the order of their keys, all at one revision: those about the bound user, or
  /// else about none.
  [[nodiscard]] std::vector<v1::Entry> entries(const NearListOptions& options = {}) const;

  /// Returns the keys of the entries that entries() returns.
  [[nodiscard]] std::vector<std::string> keys(const NearListOptions& options = {}) const;

 protected:
  NearMemory(std::shared_ptr<detail::NearCopy> copy, WorkingMemory memory);

  [[nodiscard]] const std::shared_ptr<detail::NearCopy>& copy() const noexcept { return copy_; }

 private:
  friend class NearCache;

  /// Returns what a look-up finds, which may be null, or none if the daemon is to be asked.
  [[nodiscard]] std::optional<detail::MirroredEntryPtr> find(std::string_view key, Lookup lookup) const;
  /// Returns what look-ups find at one revision, without the keys that have no entry.
  [[nodiscard]] std::optional<std::vector<detail::MirroredEntryPtr>> find_all(const std::vector<std::string>& keys,
                                                                              Lookup lookup) const;
  [[nodiscard]] std::optional<std::vector<detail::MirroredEntryPtr>> list(const NearListOptions& options) const;

  std::shared_ptr<detail::NearCopy> copy_;
  /// Reads the same from the daemon.
  WorkingMemory memory_;
};

/// A live copy of an agent's entries, scopes and notes in this process, which a watch with its initial state keeps
/// current:
///
///     memoryd::NearCache cache = agent.near_cache({.max_staleness = 2s});
///     const auto mood = cache.get<std::string>("mood");
///
/// A read costs no call. It has every write of this client that has returned, and all other changes that were committed
/// at least NearCacheOptions::max_staleness before it. Where that is not certain, as while the daemon cannot be
/// reached, it does what NearCacheOptions::when_stale says. The cache recovers by itself from a restart of the daemon,
/// and from a watch that has lost its place.
///
/// Expiry is checked at each read, by the clock of this process. All threads may read at once. The destructor ends the
/// copy; a NearMemory that outlives it asks the daemon.
class NearCache : public NearMemory {
 public:
  NearCache(NearCache&&) noexcept = default;
  NearCache& operator=(NearCache&& other) noexcept;
  NearCache(const NearCache&) = delete;
  NearCache& operator=(const NearCache&) = delete;
  ~NearCache();

  /// Ends the cache. Its reads then ask the daemon, or throw StaleRead with WhenStale::refuse.
  void close() noexcept;

  /// Returns the entries of an existing scope. Those of one that the cache does not hold are read from the daemon.
  [[nodiscard]] NearMemory attach(std::string scope_id) const;

  /// Returns a note, or none.
  [[nodiscard]] std::optional<v1::Note> note(std::string_view note_id) const;

  /// Returns the notes about the bound user, or else about none, in the order of their creation.
  [[nodiscard]] std::vector<v1::Note> notes() const;

  /// Returns the agent's revision up to which the cache has all changes.
  [[nodiscard]] std::int64_t revision() const;

  /// Returns the time within which the last changes may be missing, or none once the cache is closed.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> staleness() const;

  /// Returns the memory that the records take in bytes, roughly.
  [[nodiscard]] std::int64_t size_bytes() const;

 private:
  friend class Agent;

  NearCache(std::shared_ptr<detail::NearCopy> copy, const Agent& agent);

  Agent agent_;
};

}  // namespace memoryd
