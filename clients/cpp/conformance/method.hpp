#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

/// The outcome of a call: its status, and the response as JSON if the status is OK.
struct Outcome {
  grpc::Status status;
  nlohmann::json response{};
};

class Wrapped;

/// A function that calls one unary method on its generated stub with a request as JSON, which is made again by the
/// method's wrapper if that can say it.
using Method = std::function<Outcome(const std::shared_ptr<grpc::Channel>& channel, Wrapped& wrapped,
                                     const nlohmann::json& request)>;

/// Returns all unary methods of package memoryd.v1, by names such as "AgentService.GetAgent".
[[nodiscard]] const std::map<std::string, Method>& methods();

}  // namespace conformance
