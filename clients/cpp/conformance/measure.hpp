#pragma once

#include <nlohmann/json.hpp>

#include "memoryd/memoryd.hpp"

namespace conformance {

/// Measures the calls of a command, and returns its result. The callers are threads.
[[nodiscard]] nlohmann::json measured(const memoryd::Agent& agent, const nlohmann::json& with);

}  // namespace conformance
