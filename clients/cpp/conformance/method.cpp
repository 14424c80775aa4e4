#include "method.hpp"

#include <grpcpp/client_context.h>

#include <chrono>
#include <functional>
#include <utility>

#include "memoryd/stub.hpp"
#include "message_json.hpp"
#include "wrapped.hpp"

namespace conformance {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeadline = 30s;

/// Sends a request, and returns the response. Not a template, because there are as many of those as methods.
Outcome sent(const std::string& method, Wrapped& wrapped, const nlohmann::json& value,
             google::protobuf::Message& request, google::protobuf::Message& response,
             const std::function<grpc::Status(grpc::ClientContext&)>& send) {
  read_message(value, request);
  wrapped.make_again(method, request);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  Outcome outcome{.status = send(context)};
  if (outcome.status.ok()) {
    outcome.response = write_message(response);
  }
  return outcome;
}

template <class Service, class Request, class Response>
Method method_of(std::string name,
                 grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&, Response*)) {
  return [name = std::move(name), method](const std::shared_ptr<grpc::Channel>& channel, Wrapped& wrapped,
                                          const nlohmann::json& value) {
    Request request;
    Response response;
    return sent(name, wrapped, value, request, response, [&](grpc::ClientContext& context) {
      typename Service::Stub stub(channel);
      return (stub.*method)(&context, request, &response);
    });
  };
}

}  // namespace

const std::map<std::string, Method>& methods() {
  static const std::map<std::string, Method> table = {
#define MEMORYD_METHOD(service, name) \
  {#service "." #name, method_of<memoryd::v1::service>(#service "." #name, &memoryd::v1::service::Stub::name)},
#include "method_table.inc"
#undef MEMORYD_METHOD
  };
  return table;
}

}  // namespace conformance
