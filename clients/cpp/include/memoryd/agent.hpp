#pragma once

#include <memoryd/v1/agent_service.pb.h>

#include <memory>
#include <string>

#include "memoryd/entry.hpp"
#include "memoryd/record_counts.hpp"
#include "memoryd/scope.hpp"
#include "memoryd/transaction.hpp"
#include "memoryd/watch.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd {

/// The options of Agent::end().
struct EndOptions {
  /// If true, a last snapshot of the agent is taken before it ends, for which the client's timeout must be long enough.
  /// If the snapshot fails, the agent stays.
  bool snapshot = false;
  /// The condition on the agent. Default: none.
  Condition condition{};
};

/// The root scope of an agent's working memory, and the parent of its scopes. The first change creates the agent.
class Agent : public WorkingMemory {
 public:
  /// Returns an existing scope, such as one that another process created. Does not call the daemon. The scope outlives
  /// the object, unless close() ends it.
  [[nodiscard]] Scope attach(std::string scope_id) const;

  /// Watches the agent: its root and all its scopes.
  [[nodiscard]] Watch watch(const WatchOptions& options = {}) const;

  /// Returns an empty transaction, which collects changes of all kinds and makes them as one.
  [[nodiscard]] Transaction transaction(const TransactionOptions& options = {}) const;

  /// Removes the agent with all of its records and scopes. Ending an agent that does not exist is not an error: then
  /// deleted() is false. counts_by_kind() reads the numbers of the removed records.
  /// @throws AgentNotFound, RevisionMismatch or AlreadyExists if the condition is not met.
  v1::EndAgentResponse end(const EndOptions& options = {});

 private:
  friend class Client;

  Agent(std::shared_ptr<detail::Connection> connection, std::string agent_id);
};

}  // namespace memoryd
