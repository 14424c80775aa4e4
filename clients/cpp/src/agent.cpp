#include "memoryd/agent.hpp"

#include <utility>

#include "collected.hpp"
#include "connection.hpp"
#include "entry_request.hpp"
#include "watch_request.hpp"

namespace memoryd {

Agent::Agent(std::shared_ptr<detail::Connection> connection, std::string agent_id)
    : WorkingMemory(std::move(connection), std::move(agent_id), "") {}

Scope Agent::attach(std::string scope_id) const {
  return Scope(connection(), agent_id(), std::move(scope_id), std::nullopt, Scope::AtEnd::keep);
}

Watch Agent::watch(const WatchOptions& options) const {
  v1::EventFilter filter;
  filter.add_agent_ids(agent_id());
  return Watch(connection(), detail::watch_request(std::move(filter), options), options.patience);
}

Transaction Agent::transaction(const TransactionOptions& options) const {
  return Transaction(std::make_shared<detail::Collected>(connection(), detail::commit_request(agent_id(), options)));
}

v1::EndAgentResponse Agent::end(const EndOptions& options) {
  v1::EndAgentRequest request;
  request.set_agent_id(agent_id());
  request.set_create_snapshot(options.snapshot);
  detail::write_agent_condition(request, options.condition);
  return detail::call(*connection(), connection()->agents(), &v1::AgentService::Stub::EndAgent, std::move(request));
}

}  // namespace memoryd
