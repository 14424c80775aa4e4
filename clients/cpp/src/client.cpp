#include "memoryd/client.hpp"

#include <memoryd/v1/event_service.pb.h>

#include <utility>

#include "connection.hpp"

namespace memoryd {

Client::Client(const ConnectOptions& options)
    : connection_(std::make_shared<detail::Connection>(detail::settings_of(options))) {}

const std::string& Client::target() const noexcept { return connection_->settings().target; }

Agent Client::agent(std::string agent_id) const {
  return Agent({.connection = connection_, .agent_id = std::move(agent_id)});
}

Watch Client::watch(const v1::WatchEventsRequest& request, const WatchPatience& patience) const {
  return Watch(connection_, request, patience);
}

void Client::close() noexcept { connection_->close(); }

}  // namespace memoryd
