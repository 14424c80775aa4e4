#pragma once

#include <grpcpp/support/status.h>

#include "memoryd/error.hpp"

namespace memoryd::detail {

/// Converts a status that is not OK with its error details. A detail that cannot be decoded is ignored.
[[nodiscard]] Failure failure_of(const grpc::Status& status);

/// Throws the failure as the class of its reason, else of its status code.
[[noreturn]] void throw_failure(Failure failure);

}  // namespace memoryd::detail
