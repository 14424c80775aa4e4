#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace conformance {

inline constexpr std::string_view kPresent = "${present}";
inline constexpr std::string_view kAbsent = "${absent}";

/// Where and how what came differs from what is expected; none when it does not.
[[nodiscard]] std::optional<std::string> difference(const nlohmann::json& expected, const nlohmann::json& actual);

}  // namespace conformance
