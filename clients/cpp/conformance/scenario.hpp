#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace conformance {

/// Plays a scenario over the generated stubs. Throws std::runtime_error that names the first step that failed.
void play(const nlohmann::json& scenario, const std::shared_ptr<grpc::Channel>& channel);

}  // namespace conformance
