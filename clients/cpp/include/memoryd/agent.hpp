#pragma once

#include <memoryd/v1/agent_service.pb.h>

#include <memory>
#include <string>

#include "memoryd/scope.hpp"
#include "memoryd/watch.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd {

/// One agent: the root of its working memory, and the parent of its scopes. It begins with its first change.
class Agent : public WorkingMemory {
 public:
  /// A scope that is there already, such as one of another process. Nothing is asked of the daemon. The scope lives on
  /// after the object, unless close() ends it.
  [[nodiscard]] Scope attach(std::string scope_id) const;

  /// Watches the agent: its root and all its scopes.
  [[nodiscard]] Watch watch(const WatchOptions& options = {}) const;

  /// Removes the agent with all of its records and scopes.
  /// @throws AgentNotFound
  v1::EndAgentResponse end();

 private:
  friend class Client;

  Agent(std::shared_ptr<detail::Connection> connection, std::string agent_id);
};

}  // namespace memoryd
