#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

/// Values under names, which a scenario's strings may name.
using Variables = std::map<std::string, std::string>;

/// The value with each ${name} in its strings replaced. ${present} and ${absent} stay, where they stand alone: they are
/// for the comparison. Throws std::runtime_error for an unknown name.
[[nodiscard]] nlohmann::json replace(const nlohmann::json& value, const Variables& variables);

/// What is at a path of field names and indexes, such as "scopes.0.scope_id", as a string. Throws std::runtime_error.
[[nodiscard]] std::string value_at(const nlohmann::json& value, const std::string& path);

}  // namespace conformance
