#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

/// Returns the first document of a YAML file as JSON. A plain scalar is null, true, false or a number if JSON parses it
/// as one, or else a string; a quoted scalar is a string. Throws std::runtime_error.
[[nodiscard]] nlohmann::json read_yaml(const std::string& path);

/// Parses YAML text as read_yaml() does.
[[nodiscard]] nlohmann::json parse_yaml(const std::string& text);

}  // namespace conformance
