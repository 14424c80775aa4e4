#include "memoryd/value.hpp"

#include <algorithm>
#include <cmath>

namespace memoryd {
namespace {

// nlohmann::json writes by recursion; what is nested more deeply than this is refused before it fills the stack.
constexpr int kDepthMax = 1'000;

[[noreturn]] void refuse(const std::string& why) {
  throw UnsupportedValue({.message = "the value cannot be written as JSON: " + why});
}

/// nlohmann::json writes null for a number that JSON does not have, and an object for bytes.
void require_json(const nlohmann::json& value, int depth) {
  if (depth > kDepthMax) {
    refuse("it is nested more than " + std::to_string(kDepthMax) + " deep");
  }
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    refuse("it has a number that is not finite");
  }
  if (value.is_binary() || value.is_discarded()) {
    refuse("it has bytes, or no value at all");
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
    refuse(error.what());
  }
}

namespace detail {

nlohmann::json parse(std::string_view key, std::string_view text) {
  if (text.empty()) {
    throw WrongType({.message = "the entry '" + std::string(key) + "' was asked for without its value"});
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    // Such as a number beyond all doubles, which is JSON all the same.
    throw_wrong_type(key, "JSON", error.what());
  }
}

void throw_wrong_type(std::string_view key, std::string_view actual, std::string_view why) {
  throw WrongType({.message = "the value of '" + std::string(key) + "' is of type " + std::string(actual) +
                              ", not what was asked for: " + std::string(why)});
}

}  // namespace detail
}  // namespace memoryd
