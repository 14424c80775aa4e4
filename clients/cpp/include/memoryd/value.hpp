#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "memoryd/error.hpp"

namespace memoryd {

/// JSON text that is stored byte for byte: its spaces, the order of its keys and the digits of its numbers stay.
class Json {
 public:
  explicit Json(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::string text_;
};

/// The value as compact JSON text.
/// @throws UnsupportedValue for what JSON in UTF-8 cannot hold: not-a-number, infinity, bytes, text that is not UTF-8.
[[nodiscard]] std::string encode(const nlohmann::json& value);

/// The text as it is; the server checks it. No conversion leads here, so that `encode("text")` is a JSON string.
[[nodiscard]] std::string encode(const std::same_as<Json> auto& value) { return value.text(); }

namespace detail {

[[nodiscard]] nlohmann::json parse(std::string_view key, std::string_view text);
[[noreturn]] void throw_wrong_type(std::string_view key, std::string_view actual, std::string_view why);

/// nlohmann::json turns true into 1 and 1.5 into 1 when it is asked for an int; here that is another type.
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

}  // namespace detail

/// The value of JSON text that was read under the key, as T: nlohmann::json, what it converts to, or Json for the text.
/// @throws WrongType unless the value is a T. An integer is also a floating-point number; a boolean is never a number.
template <class T = nlohmann::json>
[[nodiscard]] T decode(std::string_view key, std::string_view text) {
  if constexpr (std::same_as<T, Json>) {
    return Json(std::string(text));
  } else {
    nlohmann::json value = detail::parse(key, text);
    if constexpr (std::same_as<T, nlohmann::json>) {
      return value;
    } else {
      if (!detail::is_a<T>(value)) {
        detail::throw_wrong_type(key, value.type_name(), "another type of number or none");
      }
      try {
        return value.template get<T>();
      } catch (const nlohmann::json::exception& error) {
        detail::throw_wrong_type(key, value.type_name(), error.what());
      }
    }
  }
}

}  // namespace memoryd
