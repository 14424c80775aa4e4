#pragma once

#include <google/protobuf/descriptor.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <concepts>
#include <functional>
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

/// Performs a call with its retries. Throws the error of the last attempt.
void perform(Connection& connection, bool repeatable, const CallOptions& options,
             const std::function<grpc::Status(grpc::ClientContext&)>& attempt);

template <class Request>
concept Change = requires(Request& request, std::string id) {
  request.set_request_id(id);
};

/// Calls a method of a stub, with retries, and with a request id for a change that has none.
template <class Stub, class Request, class Response>
Response call(Connection& connection, Stub& stub,
              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*), Request request,
              const CallOptions& options = {}) {
  if constexpr (Change<Request>) {
    if (request.request_id().empty()) {
      request.set_request_id(new_request_id());
    }
  }
  Response response;
  perform(connection, repeatable(*Request::descriptor()), options,
          [&](grpc::ClientContext& context) { return (stub.*method)(&context, request, &response); });
  return response;
}

}  // namespace detail
}  // namespace memoryd
