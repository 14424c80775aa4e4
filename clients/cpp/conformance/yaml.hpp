#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

/// The first document of a YAML file as JSON. A plain scalar is null, true, false, or a number where JSON reads it as
/// one, else a string; a quoted scalar is a string. Throws std::runtime_error.
[[nodiscard]] nlohmann::json read_yaml(const std::string& path);

/// The same for text.
[[nodiscard]] nlohmann::json parse_yaml(const std::string& text);

}  // namespace conformance
