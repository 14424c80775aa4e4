#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <concepts>
#include <functional>
#include <stop_token>
#include <string>

#include "memoryd/call_options.hpp"

namespace memoryd {

/// Returns a new request id of 128 random bits, which makes a change safe to repeat.
[[nodiscard]] std::string new_request_id();

/// Throws the class of Error for a status that is not OK.
void check(const grpc::Status& status);

namespace detail {

class Connection;

/// Returns whether a failed call with this request may be sent again, which the idempotency level in the method's proto
/// specifies.
[[nodiscard]] bool repeatable(const google::protobuf::Descriptor& request);

/// Adds the token and the origin to a call.
void prepare(const Connection& connection, grpc::ClientContext& context);

/// Performs a call with its retries, none of which begins after `last_attempt` is stopped, and waits until the near
/// caches of the connection have what it has changed. Throws the error of the last attempt.
void perform(Connection& connection, const google::protobuf::Message& request,
             const google::protobuf::Message& response, const CallOptions& options, const std::stop_token& last_attempt,
             const std::function<grpc::Status(grpc::ClientContext&)>& attempt);

template <class Request>
concept Change = requires(Request& request, std::string id) {
  request.set_request_id(id);
};

/// Calls a method of a stub, with retries, and with a request id for a change that has none.
template <class Stub, class Request, class Response>
Response call(Connection& connection, Stub& stub,
              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*), Request request,
              const CallOptions& options = {}, const std::stop_token& last_attempt = {}) {
  if constexpr (Change<Request>) {
    if (request.request_id().empty()) {
      request.set_request_id(new_request_id());
    }
  }
  Response response;
  perform(connection, request, response, options, last_attempt,
          [&](grpc::ClientContext& context) { return (stub.*method)(&context, request, &response); });
  return response;
}

}  // namespace detail
}  // namespace memoryd
