#pragma once

#include <google/protobuf/message.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "memoryd/alternatives.hpp"
#include "memoryd/consistency.hpp"
#include "memoryd/entry.hpp"
#include "selection.hpp"

namespace memoryd::detail {

/// The number of a value of any enum.
struct EnumNumber {
  int number = 0;
};

/// A value of a field. The text must outlive it.
using FieldValue = std::variant<bool, std::int32_t, std::int64_t, float, double, EnumNumber, std::string_view,
                                std::chrono::milliseconds, std::chrono::system_clock::time_point, nlohmann::json>;

template <class T>
concept FieldScalar = std::is_enum_v<T> || std::same_as<T, std::string> || std::is_constructible_v < FieldValue,
        std::in_place_type_t<T>,
const T& > ;

template <FieldScalar T>
[[nodiscard]] FieldValue field_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return EnumNumber{static_cast<int>(value)};
  } else if constexpr (std::same_as<T, std::string>) {
    return std::string_view(value);
  } else {
    return FieldValue(std::in_place_type<T>, value);
  }
}

/// The fields of a message, which are set to what a caller gives: what has its default value is not given. Each is
/// named by its path from the message, such as "draft.title".
///
/// They are set by their descriptors at run time, because that is one function for all messages, and takes microseconds
/// of a call. Throws InvalidArgument for fields that exclude each other, UnsupportedValue for a value that is no JSON.
class Fields {
 public:
  explicit Fields(google::protobuf::Message& message) : message_(&message) {}

  template <FieldScalar T>
  void put(std::string_view path, const T& value) {
    if (value != T{}) {
      set(path, field_value(value));
    }
  }

  template <class T>
  void put(std::string_view path, const std::optional<T>& value) {
    if (!value) {
      return;
    }
    if constexpr (FieldScalar<T>) {
      set(path, field_value(*value));
    } else {
      put_fields(at(path), *value);
    }
  }

  template <class T>
  void put(std::string_view path, const std::vector<T>& values) {
    for (const auto& value : values) {
      if constexpr (FieldScalar<T>) {
        set(path, field_value(value));
      } else {
        put_fields(at(path), value);
      }
    }
  }

  void put(std::string_view path, const std::vector<nlohmann::json>& values);

  template <class T>
  void put(std::string_view path, const Alternatives<T>& alternatives) {
    if (alternatives.is_given()) {
      if (alternatives.values().empty()) {
        throw_empty_selection(std::string(path.substr(path.rfind('.') + 1)));
      }
      put(path, alternatives.values());
    }
  }

  void put(std::string_view path, const Condition& condition);
  void put(std::string_view path, const Consistency& consistency);

  /// Returns the fields of the message at a path, which is present from now on, or of a new one if it is a list.
  [[nodiscard]] Fields at(std::string_view path) const;

 private:
  struct Found {
    google::protobuf::Message& message;
    const google::protobuf::FieldDescriptor& field;
  };

  [[nodiscard]] Found find(std::string_view path) const;
  /// Sets a field, or adds to it if it is a list.
  void set(std::string_view path, const FieldValue& value) const;

  google::protobuf::Message* message_;
};

}  // namespace memoryd::detail
