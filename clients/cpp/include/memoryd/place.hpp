#pragma once

#include <memory>
#include <string>

namespace memoryd::detail {

class Connection;

/// A scope of an agent over a connection, and the user that the agent is bound to. An empty scope is the root, an empty
/// user binds none.
struct Place {
  std::shared_ptr<Connection> connection;
  std::string agent_id;
  std::string scope_id{};
  std::string user_id{};
};

}  // namespace memoryd::detail
