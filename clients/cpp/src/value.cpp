#include "memoryd/value.hpp"

#include <algorithm>
#include <cmath>

namespace memoryd {
namespace {

// nlohmann::json encodes recursively: deeper values are refused before they overflow the stack.
constexpr int kDepthMax = 1'000;

[[noreturn]] void refuse_value(const std::string& why) {
  throw UnsupportedValue({.message = "the value cannot be encoded as JSON: " + why});
}

/// Refuses values that nlohmann::json would silently change: it writes null for NaN and infinities, and an object for
/// bytes.
void require_json(const nlohmann::json& value, int depth) {
  if (depth > kDepthMax) {
    refuse_value("it is nested more than " + std::to_string(kDepthMax) + " levels deep");
  }
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    refuse_value("it contains a number that is not finite");
  }
  if (value.is_binary() || value.is_discarded()) {
    refuse_value("it contains bytes or a discarded value");
  }
  if (value.is_structured()) {
    std::ranges::for_each(value, [depth](const nlohmann::json& item) { require_json(item, depth + 1); });
  }
}

}  // namespace

std::string encode(const nlohmann::json& value) {
  require_json(value, 0);
  try {
    return value.dump();
  } catch (const nlohmann::json::type_error& error) {
    refuse_value(error.what());
  }
}

namespace detail {

nlohmann::json parse(std::string_view key, std::string_view text) {
  if (text.empty()) {
    throw WrongType({.message = "the entry '" + std::string(key) + "' was requested without its value"});
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    // Such as a number beyond the range of doubles, which is valid JSON.
    throw_wrong_type(key, "JSON", error.what());
  }
}

void throw_wrong_type(std::string_view key, std::string_view actual, std::string_view why) {
  throw WrongType({.message = "the value of '" + std::string(key) + "' is of type " + std::string(actual) +
                              ", not the requested one: " + std::string(why)});
}

}  // namespace detail
}  // namespace memoryd
