#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "memoryd/watch.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd {

namespace detail {
class Hold;
}

/// Selects which value remains if a merged scope and its parent have values under the same key.
enum class Conflict { overwrite, keep_parent };

/// The options of a scope.
struct ScopeOptions {
  /// The condition on the active scope of this name under the same parent. MustNotExist{} requires a new name; names
  /// need not be unique otherwise.
  Condition condition{};
  /// The user that the scope is about, at most 256 bytes, or empty for none. Default: the agent's bound user, or else
  /// none.
  std::optional<std::string> user_id{};
  /// If set, the daemon disposes the scope once it was not used for this long, at least 1 s, so that nothing is left
  /// over if this process dies. Every call that reads or writes in the scope or below it uses it. The object that
  /// WorkingMemory::scope() returns holds it: a thread uses the scope three times within this time, until the object
  /// ends.
  std::optional<std::chrono::milliseconds> idle_ttl{};
  /// If set, the end of the scope copies its entries to the parent, unless an exception ends it. If the merge is
  /// refused, the scope remains, so that nothing is lost.
  std::optional<Conflict> merge{};
};

/// A nested container of entries for one task. The destructor disposes it with its entries and the scopes below it, by
/// a call that takes at most the client's timeout.
///
/// The destructor never throws. Call close() to get the error of a failed disposal or merge.
class Scope : public WorkingMemory {
 public:
  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  /// Copies the own entries to the parent now, disposes the scope in the same step, and returns the number of entries
  /// copied. If it throws, the scope remains, so that nothing is lost.
  /// @throws AgentNotFound, RevisionMismatch or AlreadyExists if the condition on the agent is not met.
  std::int64_t merge(Conflict conflict = Conflict::overwrite, const Condition& condition = {});

  /// Copies the own entries as merge() does, but keeps the scope.
  /// @throws AgentNotFound, RevisionMismatch or AlreadyExists if the condition on the agent is not met.
  std::int64_t merge_and_keep(Conflict conflict = Conflict::overwrite, const Condition& condition = {});

  /// Disposes the scope now, after a merge if its options specify one. After merge() or close() it does nothing. A
  /// scope that has already ended, by itself or with its agent, is not an error, unless it was to be merged.
  /// @throws AgentNotFound, RevisionMismatch or AlreadyExists if the condition on the agent is not met.
  void close(const Condition& condition = {});

  /// Lets the scope outlive this object, and returns its id, for Agent::attach().
  std::string release();

  /// Watches the scope and those below it.
  [[nodiscard]] Watch watch(const WatchOptions& options = {}) const;

 private:
  friend class Agent;
  friend class WorkingMemory;

  enum class AtEnd { keep, close };

  Scope(detail::Place place, std::optional<Conflict> merge, AtEnd at_end);
  std::int64_t copy(Conflict conflict, const Condition& condition, bool dispose);
  void hold(std::chrono::milliseconds idle_ttl);
  void dispose(const Condition& condition);
  void end_quietly() noexcept;

  std::optional<Conflict> merge_;
  AtEnd at_end_;
  bool closed_ = false;
  // The destructor skips the merge if more exceptions are in flight than at the construction: an exception leaves the
  // scope's block then.
  int exceptions_at_start_;
  // None for a scope without an idle time, and for one that was not created here.
  std::unique_ptr<detail::Hold> hold_;
};

}  // namespace memoryd
