#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

/// What became of a call: the response as JSON when the status is OK.
struct Answer {
  grpc::Status status;
  nlohmann::json response{};
};

/// Calls one unary method over its generated stub with a request as JSON.
using Method = std::function<Answer(const std::shared_ptr<grpc::Channel>& channel, const nlohmann::json& request)>;

/// All unary methods of package memoryd.v1, by names such as "AgentService.GetAgent".
[[nodiscard]] const std::map<std::string, Method>& methods();

}  // namespace conformance
