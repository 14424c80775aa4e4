#pragma once

#include <grpcpp/support/status.h>

#include <nlohmann/json.hpp>

namespace conformance {

/// Returns a status that is not OK in the form in which scenarios expect it: code, reason, metadata, and field (the
/// first invalid one).
[[nodiscard]] nlohmann::json describe(const grpc::Status& status);

}  // namespace conformance
