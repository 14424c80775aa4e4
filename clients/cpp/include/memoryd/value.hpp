#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "memoryd/error.hpp"

namespace memoryd {

/// JSON text that is stored byte for byte: spaces, the order of keys and the digits of numbers are preserved.
class Json {
 public:
  explicit Json(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::string text_;
};

/// Encodes a value as compact JSON text.
/// @throws UnsupportedValue for values that JSON cannot represent: NaN, infinities, bytes, text that is not UTF-8.
[[nodiscard]] std::string encode(const nlohmann::json& value);

/// Returns the unchanged text, which the server checks. There is no implicit conversion to Json, so that
/// `encode("text")` is a JSON string.
[[nodiscard]] std::string encode(const std::same_as<Json> auto& value) { return value.text(); }

namespace detail {

[[nodiscard]] nlohmann::json parse(std::string_view key, std::string_view text);
[[noreturn]] void throw_wrong_type(std::string_view key, std::string_view actual, std::string_view why);

/// Returns whether a value has the type T. nlohmann::json would convert true and 1.5 to the int 1.
template <class T>
[[nodiscard]] bool is_a(const nlohmann::json& value) {
  if constexpr (std::same_as<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::integral<T>) {
    if (value.is_number_unsigned()) {
      return std::in_range<T>(value.get<std::uint64_t>());
    }
    return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  } else if constexpr (std::floating_point<T>) {
    return value.is_number();
  } else {
    return true;
  }
}

/// Converts the value under a key to a T. Throws WrongType.
template <class T>
[[nodiscard]] T convert(std::string_view key, const nlohmann::json& value) {
  if (!is_a<T>(value)) {
    throw_wrong_type(key, value.type_name(), "another type of number or none");
  }
  try {
    return value.template get<T>();
  } catch (const nlohmann::json::exception& error) {
    throw_wrong_type(key, value.type_name(), error.what());
  }
}

}  // namespace detail

/// Decodes the JSON text under a key as a T: nlohmann::json, a type that it converts to, or Json for the text.
/// @throws WrongType if the value is not a T. An integer is also a floating-point number; a boolean is never a number.
template <class T = nlohmann::json>
[[nodiscard]] T decode(std::string_view key, std::string_view text) {
  if constexpr (std::same_as<T, Json>) {
    return Json(std::string(text));
  } else if constexpr (std::same_as<T, nlohmann::json>) {
    return detail::parse(key, text);
  } else {
    return detail::convert<T>(key, detail::parse(key, text));
  }
}

}  // namespace memoryd
