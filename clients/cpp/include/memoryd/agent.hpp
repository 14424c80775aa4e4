#pragma once

#include <memoryd/v1/agent_service.pb.h>

#include <string>
#include <utility>

#include "memoryd/entry.hpp"
#include "memoryd/record_counts.hpp"
#include "memoryd/scope.hpp"
#include "memoryd/transaction.hpp"
#include "memoryd/watch.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd {

// Each kind of memory has a header of its own, such as memoryd/notes.hpp.
class Conversations;
class Documents;
class Entities;
class Fragments;
class Memories;
class NearCache;
class Notes;
class Plans;
struct ComposeContextOptions;
struct NearCacheOptions;

namespace v1 {
class ComposeContextResponse;
}

/// The options of Agent::end().
struct EndOptions {
  /// If true, a last snapshot of the agent is taken before it ends, for which the client's timeout must be long enough.
  /// If the snapshot fails, the agent stays.
  bool snapshot = false;
  /// The condition on the agent. Default: none.
  Condition condition{};
};

/// All that an agent remembers: its entries, which are those of its root scope, and its records of the other kinds. The
/// first change creates the agent.
class Agent : public WorkingMemory {
 public:
  /// Returns the same agent with a bound user. What it writes is about this user, and what it lists, recalls, searches,
  /// composes and watches is this user's alone, unless a call names other users. Reads by id and key are the same, and
  /// so are the listings of a conversation's messages and of a memory's links. An update keeps the record's user. An
  /// empty id binds none.
  ///
  /// A conversation that Conversations::append() creates is of no user: create one of the user with
  /// Conversations::create().
  [[nodiscard]] Agent user(std::string user_id) const;

  /// Returns the messages between the agent and others.
  [[nodiscard]] Conversations conversations() const;

  /// Returns the agent's documents: source texts for prompts, whole or in chunks that a search finds.
  [[nodiscard]] Documents documents() const;

  /// Returns the entities that the agent's tools touched last, in each conversation.
  [[nodiscard]] Entities entities() const;

  /// Returns incoming texts that are not consolidated yet.
  [[nodiscard]] Fragments fragments() const;

  /// Returns the agent's long-term memories.
  [[nodiscard]] Memories memories() const;

  /// Returns the agent's notes: titled, editable texts for prompts.
  [[nodiscard]] Notes notes() const;

  /// Returns the agent's plans: goals in conversations, with the ordered steps to them.
  [[nodiscard]] Plans plans() const;

  /// Composes a context for a prompt, as Contexts::compose() in memoryd/contexts.hpp describes.
  [[nodiscard]] v1::ComposeContextResponse compose(const ComposeContextOptions& options) const;
  [[nodiscard]] v1::ComposeContextResponse compose() const;

  /// Returns an existing scope, such as one that another process created. Does not call the daemon. The scope outlives
  /// the object, unless close() ends it.
  [[nodiscard]] Scope attach(std::string scope_id) const;

  /// Watches the agent: its root and all its scopes.
  [[nodiscard]] Watch watch(const WatchOptions& options = {}) const;

  /// Opens a live copy of the agent's entries, scopes and notes in this process, whose reads are no calls. Returns once
  /// the copy is complete. Include memoryd/near_cache.hpp.
  /// @throws InvalidArgument, CacheFull, RecordNotFound for a scope that there is not, and the errors of a watch.
  [[nodiscard]] NearCache near_cache(const NearCacheOptions& options) const;
  [[nodiscard]] NearCache near_cache() const;

  /// Returns an empty transaction, which collects changes of all kinds and makes them as one.
  [[nodiscard]] Transaction transaction(const TransactionOptions& options = {}) const;

  /// Removes the agent with all of its records and scopes. Ending an agent that does not exist is not an error: then
  /// deleted() is false. counts_by_kind() reads the numbers of the removed records.
  /// @throws AgentNotFound, RevisionMismatch or AlreadyExists if the condition is not met.
  v1::EndAgentResponse end(const EndOptions& options = {});

 private:
  friend class Client;

  explicit Agent(detail::Place place) : WorkingMemory(std::move(place)) {}
};

}  // namespace memoryd
