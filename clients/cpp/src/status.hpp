#pragma once

#include <grpcpp/support/status.h>

#include "memoryd/error.hpp"

namespace memoryd::detail {

/// What a status that is not OK says, with its error details. A detail that cannot be read is passed over.
[[nodiscard]] Failure failure_of(const grpc::Status& status);

/// Throws the failure as the class of its reason, else of its status code.
[[noreturn]] void throw_failure(Failure failure);

}  // namespace memoryd::detail
