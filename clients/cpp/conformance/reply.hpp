#pragma once

#include <exception>
#include <nlohmann/json.hpp>

namespace conformance {

/// Returns the reply to a command that failed: {"error": {"type", "code", "reason", "message"}}.
[[nodiscard]] nlohmann::json failure_reply(const std::exception& error);

}  // namespace conformance
