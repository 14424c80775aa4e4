#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "memoryd/watch.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd {

/// Which value stays when a merge finds the same key in the parent.
enum class Conflict { overwrite, keep_parent };

/// How a scope begins and ends.
struct ScopeOptions {
  /// Throw ScopeExists when an active scope under the same parent has this name. Names need not be unique otherwise.
  bool must_not_exist = false;
  /// Copy the entries to the parent when the scope ends, unless it ends by an exception. When the merge is refused, the
  /// scope stays, so that nothing is lost.
  std::optional<Conflict> merge{};
};

/// A nested container of entries for one task, which ends with this object: it is disposed then, with its entries and
/// the scopes below it. That takes a call: until it is answered, at most the client's timeout.
///
/// The destructor never throws. Call close() to learn whether ending the scope, and above all merging it, worked.
class Scope : public WorkingMemory {
 public:
  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  /// Copies the own entries to the parent now, and answers how many. The scope goes on.
  std::int64_t merge(Conflict conflict = Conflict::overwrite);

  /// Ends the scope now, merging it first if its options say so. Ending it again does nothing.
  void close();

  /// Leaves the scope to live on after this object, and answers its id, for Agent::attach().
  std::string release();

  /// Watches the scope and those below it.
  [[nodiscard]] Watch watch(const WatchOptions& options = {}) const;

 private:
  friend class Agent;
  friend class WorkingMemory;

  enum class AtEnd { keep, close };

  Scope(std::shared_ptr<detail::Connection> connection, std::string agent_id, std::string scope_id,
        std::optional<Conflict> merge, AtEnd at_end);
  std::int64_t merge(Conflict conflict, bool dispose);
  void dispose();
  void end_quietly() noexcept;

  std::optional<Conflict> merge_;
  AtEnd at_end_;
  bool closed_ = false;
  // More exceptions than then are in flight when an exception leaves the block that the scope was made for.
  int exceptions_at_start_;
};

}  // namespace memoryd
