#pragma once

#include <memoryd/v1/entry.pb.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "memoryd/value.hpp"

namespace memoryd {

/// When an entry ends: never, after a time from now, or at a moment. Setting again without it takes it away.
using Expiry = std::variant<std::monostate, std::chrono::milliseconds, std::chrono::system_clock::time_point>;

/// What may be said about a value that is stored.
struct EntryOptions {
  /// The writer's name for the value's type; at most 256 bytes.
  std::string type_name{};
  /// What the entry holds; a fact when left out.
  v1::MemoryType memory_type = v1::MEMORY_TYPE_UNSPECIFIED;
  /// From 0 to 1; 0.5 when left out.
  std::optional<double> importance{};
  /// Labels: at most 64.
  std::vector<std::string> tags{};
  /// An object with JSON values of the writer. Its numbers are doubles: integers beyond 2^53 lose their last digits.
  nlohmann::json metadata{};
  /// When the entry ends.
  Expiry expiry{};
};

/// A condition on the entry in this very scope: EntryExists is thrown when it is there.
struct MustNotExist {};

/// A condition on the entry in this very scope: RevisionMismatch is thrown unless it has this revision. 0 means that it
/// is not there.
struct ExpectedRevision {
  std::int64_t revision = 0;
};

/// Whether a change is to happen; without a condition it always is.
using Condition = std::variant<std::monostate, MustNotExist, ExpectedRevision>;

/// Where a scope's reads look: falling back to its parents up to the root, or in the scope alone.
enum class Lookup { with_parents, local_only };

/// The entry's value as T, as in decode().
/// @throws WrongType unless the value is a T, and for an entry that was asked for without its value.
template <class T = nlohmann::json>
[[nodiscard]] T value_of(const v1::Entry& entry) {
  return decode<T>(entry.key(), entry.value_json());
}

/// A message's time in the clock of the standard library.
[[nodiscard]] std::chrono::system_clock::time_point time_of(const google::protobuf::Timestamp& timestamp);

}  // namespace memoryd
