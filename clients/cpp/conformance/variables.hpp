#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

/// The variables of a scenario, by name.
using Variables = std::map<std::string, std::string>;

/// Returns the value with each ${name} in its strings replaced. A string that is ${present} or ${absent} is kept for
/// the comparison. Throws std::runtime_error for an unknown name.
[[nodiscard]] nlohmann::json replace(const nlohmann::json& value, const Variables& variables);

/// Returns the part at a path of field names and indexes, such as "scopes.0.scope_id", as a string. Throws
/// std::runtime_error if there is none.
[[nodiscard]] std::string value_at(const nlohmann::json& value, const std::string& path);

}  // namespace conformance
