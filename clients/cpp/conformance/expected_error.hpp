#pragma once

#include <grpcpp/support/status.h>

#include <nlohmann/json.hpp>

namespace conformance {

/// What a scenario may expect of a status that is not OK: code, reason, metadata, and field (the first that is bad).
[[nodiscard]] nlohmann::json describe(const grpc::Status& status);

}  // namespace conformance
