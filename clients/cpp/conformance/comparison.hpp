#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace conformance {

inline constexpr std::string_view kPresent = "${present}";
inline constexpr std::string_view kAbsent = "${absent}";

/// Describes the first difference between the expected and the actual value, with its path; none if they match.
[[nodiscard]] std::optional<std::string> difference(const nlohmann::json& expected, const nlohmann::json& actual);

}  // namespace conformance
