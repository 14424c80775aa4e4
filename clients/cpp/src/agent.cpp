#include "memoryd/agent.hpp"

#include <memoryd/v1/agent_service.grpc.pb.h>

#include <utility>

#include "collected.hpp"
#include "connection.hpp"
#include "entry_request.hpp"
#include "memoryd/contexts.hpp"
#include "memoryd/conversations.hpp"
#include "memoryd/documents.hpp"
#include "memoryd/entities.hpp"
#include "memoryd/fragments.hpp"
#include "memoryd/memories.hpp"
#include "memoryd/notes.hpp"
#include "memoryd/plans.hpp"
#include "watch_request.hpp"

namespace memoryd {

Agent Agent::user(std::string user_id) const {
  auto bound = place();
  bound.user_id = std::move(user_id);
  return Agent(std::move(bound));
}

Conversations Agent::conversations() const { return Conversations(place()); }

Documents Agent::documents() const { return Documents(place()); }

Entities Agent::entities() const { return Entities(place()); }

Fragments Agent::fragments() const { return Fragments(place()); }

Memories Agent::memories() const { return Memories(place()); }

Notes Agent::notes() const { return Notes(place()); }

Plans Agent::plans() const { return Plans(place()); }

v1::ComposeContextResponse Agent::compose(const ComposeContextOptions& options) const {
  return Contexts(place()).compose(options);
}

v1::ComposeContextResponse Agent::compose() const { return compose(ComposeContextOptions{}); }

Scope Agent::attach(std::string scope_id) const {
  auto attached = place();
  attached.scope_id = std::move(scope_id);
  return Scope(std::move(attached), std::nullopt, Scope::AtEnd::keep);
}

Watch Agent::watch(const WatchOptions& options) const {
  v1::EventFilter filter;
  filter.add_agent_ids(agent_id());
  return Watch(connection(), detail::watch_request(std::move(filter), options, user_id()), options.patience);
}

Transaction Agent::transaction(const TransactionOptions& options) const {
  return Transaction(std::make_shared<detail::Collected>(
      detail::Collected{connection(), detail::commit_request(agent_id(), options), user_id()}));
}

v1::EndAgentResponse Agent::end(const EndOptions& options) {
  v1::EndAgentRequest request;
  request.set_agent_id(agent_id());
  request.set_create_snapshot(options.snapshot);
  detail::write_agent_condition(request, options.condition);
  return detail::call(*connection(), &v1::AgentService::Stub::EndAgent, std::move(request));
}

}  // namespace memoryd
