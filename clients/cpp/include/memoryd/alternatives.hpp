#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

namespace memoryd {

/// Values of which a selected record has any one. Without them any value is selected. A list of none is refused with
/// InvalidArgument, because it would select all: `.any_tags = tags` throws if the vector `tags` is empty.
template <class T>
class Alternatives {
 public:
  Alternatives() = default;
  Alternatives(std::initializer_list<T> values) : values_(values), is_given_(true) {}
  Alternatives(std::vector<T> values) : values_(std::move(values)), is_given_(true) {}

  [[nodiscard]] const std::vector<T>& values() const noexcept { return values_; }

  /// Returns whether there is a list, which may be empty.
  [[nodiscard]] bool is_given() const noexcept { return is_given_; }

 private:
  std::vector<T> values_{};
  bool is_given_ = false;
};

}  // namespace memoryd
