#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace conformance {

/// Plays a scenario over the generated stubs. Throws std::runtime_error that tells the step and what was wrong.
void play(const nlohmann::json& scenario, const std::shared_ptr<grpc::Channel>& channel);

}  // namespace conformance
