#include "comparison.hpp"

namespace conformance {
namespace {

using nlohmann::json;

bool is_word(const json& expected, std::string_view word) { return expected.is_string() && expected == word; }

bool is_present(const json& actual) {
  return !(actual.is_null() || actual == false || actual == 0 || (actual.is_string() && actual == "") ||
           (actual.is_string() && actual == "0") || (actual.is_structured() && actual.empty()));
}

std::string expected_got(const std::string& path, const std::string& expected, const json* actual) {
  const auto prefix = path.empty() ? "" : path + ": ";
  return prefix + "expected " + expected + ", got " + (actual == nullptr ? "nothing" : actual->dump());
}

std::string below(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

std::optional<std::string> difference_at(const std::string& path, const json& expected, const json* actual);

std::optional<std::string> difference_of_fields(const std::string& path, const json& expected, const json& actual) {
  for (const auto& [name, value] : expected.items()) {
    const auto found = actual.find(name);
    const auto* field = found == actual.end() ? nullptr : &*found;
    if (auto different = difference_at(below(path, name), value, field)) {
      return different;
    }
  }
  return std::nullopt;
}

std::optional<std::string> difference_of_items(const std::string& path, const json& expected, const json& actual) {
  if (expected.size() != actual.size()) {
    return expected_got(path, std::to_string(expected.size()) + " items", &actual);
  }
  for (std::size_t index = 0; index < expected.size(); ++index) {
    if (auto different = difference_at(below(path, std::to_string(index)), expected[index], &actual[index])) {
      return different;
    }
  }
  return std::nullopt;
}

std::optional<std::string> difference_at(const std::string& path, const json& expected, const json* actual) {
  if (is_word(expected, kAbsent)) {
    return actual == nullptr ? std::nullopt : std::optional(expected_got(path, "nothing", actual));
  }
  if (is_word(expected, kPresent)) {
    return actual != nullptr && is_present(*actual) ? std::nullopt
                                                    : std::optional(expected_got(path, "something", actual));
  }
  if (actual == nullptr) {
    return expected_got(path, expected.dump(), actual);
  }
  if (expected.is_object() && actual->is_object()) {
    return difference_of_fields(path, expected, *actual);
  }
  if (expected.is_array() && actual->is_array()) {
    return difference_of_items(path, expected, *actual);
  }
  return expected == *actual ? std::nullopt : std::optional(expected_got(path, expected.dump(), actual));
}

}  // namespace

std::optional<std::string> difference(const json& expected, const json& actual) {
  return difference_at("", expected, &actual);
}

}  // namespace conformance
