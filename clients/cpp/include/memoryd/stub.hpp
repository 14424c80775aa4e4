#pragma once

#include <grpcpp/channel.h>
#include <memoryd/v1/agent_service.grpc.pb.h>
#include <memoryd/v1/context_service.grpc.pb.h>
#include <memoryd/v1/conversation_service.grpc.pb.h>
#include <memoryd/v1/document_service.grpc.pb.h>
#include <memoryd/v1/entity_service.grpc.pb.h>
#include <memoryd/v1/event_service.grpc.pb.h>
#include <memoryd/v1/fragment_service.grpc.pb.h>
#include <memoryd/v1/long_term_memory_service.grpc.pb.h>
#include <memoryd/v1/note_service.grpc.pb.h>
#include <memoryd/v1/operation_service.grpc.pb.h>
#include <memoryd/v1/plan_service.grpc.pb.h>
#include <memoryd/v1/server_service.grpc.pb.h>
#include <memoryd/v1/snapshot_service.grpc.pb.h>
#include <memoryd/v1/transaction_service.grpc.pb.h>
#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <memory>
#include <utility>

#include "memoryd/call.hpp"
#include "memoryd/client.hpp"

namespace memoryd {

namespace detail {
[[nodiscard]] std::shared_ptr<grpc::Channel> channel_of(const Connection& connection);
}

/// A generated stub over a client's connection:
///
///     memoryd::Stub<memoryd::v1::AgentService> agents(client);
///     auto response = agents.call(&memoryd::v1::AgentService::Stub::GetAgentStats, request);
///
/// All threads may use it at once.
template <class Service>
class Stub {
 public:
  using Generated = typename Service::Stub;

  explicit Stub(const Client& client)
      : connection_(client.connection_), generated_(Service::NewStub(detail::channel_of(*connection_))) {}

  /// Calls a unary method like the client's own calls: with its token, origin and timeout, with retries where they are
  /// safe, and with a request id for a change that has none. Throws the classes of Error.
  template <class Request, class Response>
  Response call(grpc::Status (Generated::*method)(grpc::ClientContext*, const Request&, Response*), Request request,
                const CallOptions& options = {}) const {
    return detail::call(*connection_, *generated_, method, std::move(request), options);
  }

  /// Adds token and origin to the context of a call on the generated stub itself, such as a stream. check() throws the
  /// error of its status.
  void prepare(grpc::ClientContext& context) const { detail::prepare(*connection_, context); }

  /// Returns the generated stub itself.
  [[nodiscard]] Generated* operator->() const noexcept { return generated_.get(); }

 private:
  std::shared_ptr<detail::Connection> connection_;
  std::unique_ptr<Generated> generated_;
};

}  // namespace memoryd
