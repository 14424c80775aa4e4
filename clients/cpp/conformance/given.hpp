#pragma once

#include <google/protobuf/message.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "memoryd/alternatives.hpp"
#include "memoryd/consistency.hpp"
#include "memoryd/entry.hpp"

namespace conformance {

/// No arguments and options of a wrapper can say what a request says.
class Unsayable : public std::exception {};

/// One value of a field: that of the field itself, or one of a list.
class GivenValue {
 public:
  GivenValue(const google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field, int index)
      : message_(&message), field_(&field), index_(index) {}

  void read(bool& to) const;
  void read(std::int32_t& to) const;
  void read(std::int64_t& to) const;
  void read(float& to) const;
  void read(double& to) const;
  void read(std::string& to) const;
  /// Throws Unsayable if it is not a number of milliseconds.
  void read(std::chrono::milliseconds& to) const;
  /// Throws Unsayable if the clock of the process does not reach that far.
  void read(std::chrono::system_clock::time_point& to) const;
  void read(nlohmann::json& to) const;

  [[nodiscard]] int number() const;
  [[nodiscard]] const google::protobuf::Message& inner() const;

 private:
  const google::protobuf::Message* message_;
  const google::protobuf::FieldDescriptor* field_;
  // Below 0: the field is not a list.
  int index_;
};

/// The fields of a message, which become arguments and options of a wrapper: the reverse of what the wrapper does. Each
/// is named by its path from the message, such as "draft.title". What has its default value is left as it is.
class Given {
 public:
  explicit Given(const google::protobuf::Message& message) : message_(&message) {}

  [[nodiscard]] const google::protobuf::Message& message() const { return *message_; }

  /// Returns the values of a field, of which there are none if it has its default value.
  [[nodiscard]] std::vector<GivenValue> values(std::string_view path) const;

  /// Throws Unsayable for a default value that is present: without it, an alternative to other fields is not given.
  template <class T>
  void take(std::string_view path, T& to) const {
    for (const auto& value : values(path)) {
      read(value, to);
      if constexpr (std::equality_comparable<T>) {
        if (to == T{}) {
          throw Unsayable();
        }
      }
    }
  }

  template <class T>
  void take(std::string_view path, std::optional<T>& to) const {
    for (const auto& value : values(path)) {
      read(value, to.emplace());
    }
  }

  template <class T>
  void take(std::string_view path, std::vector<T>& to) const {
    for (const auto& value : values(path)) {
      read(value, to.emplace_back());
    }
  }

  void take(std::string_view path, std::vector<nlohmann::json>& to) const;

  template <class T>
  void take(std::string_view path, memoryd::Alternatives<T>& to) const {
    std::vector<T> given;
    take(path, given);
    if (!given.empty()) {
      to = std::move(given);
    }
  }

  void take(std::string_view path, memoryd::Condition& to) const;
  void take(std::string_view path, memoryd::Consistency& to) const;

  /// Takes whether records are returned with their content, which a view says.
  void take_content(bool& to) const;

  /// Returns an argument.
  template <class T>
  [[nodiscard]] T as(std::string_view path) const {
    T value{};
    take(path, value);
    return value;
  }

  /// Throws Unsayable if the filter has conditions on another kind. Empty: on any.
  void require_kind(std::string_view kind) const;

 private:
  template <class T>
  static void read(const GivenValue& value, T& to) {
    if constexpr (std::is_enum_v<T>) {
      to = static_cast<T>(value.number());
    } else if constexpr (requires { value.read(to); }) {
      value.read(to);
    } else {
      take_fields(Given(value.inner()), to);
    }
  }

  const google::protobuf::Message* message_;
};

/// The fields of the draft of an update, which its mask names.
class GivenChanges {
 public:
  /// Throws Unsayable if there is no mask, or if the draft has more than it names.
  explicit GivenChanges(const Given& given);

  template <class T, class Attribute>
  void take(const std::string& name, Attribute attribute, T& to, std::vector<Attribute>& cleared) {
    if (std::erase(mask_, name) == 0) {
      return;
    }
    if (draft_.values(name).empty()) {
      if (!(name == "expire_time" && has_ttl())) {
        cleared.push_back(attribute);
      }
    } else {
      draft_.take(name, to);
    }
  }

  void take_ttl(std::optional<std::chrono::milliseconds>& to) const { draft_.take("ttl", to); }

  /// Throws Unsayable if the mask names a field that was not taken.
  void require_all_taken() const;

 private:
  [[nodiscard]] bool has_ttl() const { return !draft_.values("ttl").empty(); }

  Given draft_;
  std::vector<std::string> mask_;
};

}  // namespace conformance
