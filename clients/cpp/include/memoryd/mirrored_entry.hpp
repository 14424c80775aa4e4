#pragma once

#include <memoryd/v1/entry.pb.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "memoryd/entry.hpp"

namespace memoryd::detail {

/// An entry of a near cache, which never changes.
struct MirroredEntry {
  v1::Entry message;
  /// The time at which it expires, in nanoseconds since the epoch.
  std::int64_t expires_at;
  /// The decoded value if it is neither a list nor an object. These are decoded by each read, which takes less memory.
  std::optional<nlohmann::json> plain;

  template <class T>
  [[nodiscard]] T value() const {
    if constexpr (std::same_as<T, Json>) {
      return Json(message.value_json());
    } else {
      return plain ? convert<T>(message.key(), *plain) : value_of<T>(message);
    }
  }
};

using MirroredEntryPtr = std::shared_ptr<const MirroredEntry>;

}  // namespace memoryd::detail
