#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace conformance {

class Wrapped;

/// Plays a scenario over the generated stubs, with the requests that the wrappers make where they can. Throws
/// std::runtime_error that names the first step that failed.
void play(const nlohmann::json& scenario, const std::shared_ptr<grpc::Channel>& channel, Wrapped& wrapped);

}  // namespace conformance
