#include "method.hpp"

#include <grpcpp/client_context.h>

#include <chrono>

#include "memoryd/stub.hpp"
#include "message_json.hpp"

namespace conformance {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeadline = 30s;

template <class Service, class Request, class Response>
Method method_of(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&, Response*)) {
  return [method](const std::shared_ptr<grpc::Channel>& channel, const nlohmann::json& value) {
    Request request;
    read_message(value, request);
    typename Service::Stub stub(channel);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    Response response;
    Outcome outcome{.status = (stub.*method)(&context, request, &response)};
    if (outcome.status.ok()) {
      outcome.response = write_message(response);
    }
    return outcome;
  };
}

}  // namespace

const std::map<std::string, Method>& methods() {
  static const std::map<std::string, Method> table = {
#define MEMORYD_METHOD(service, name) \
  {#service "." #name, method_of<memoryd::v1::service>(&memoryd::v1::service::Stub::name)},
#include "method_table.inc"
#undef MEMORYD_METHOD
  };
  return table;
}

}  // namespace conformance
