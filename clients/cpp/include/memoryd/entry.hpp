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

/// The expiry of an entry: never, after a time from now, or at a moment. Setting the entry again without one removes
/// it.
using Expiry = std::variant<std::monostate, std::chrono::milliseconds, std::chrono::system_clock::time_point>;

/// An attribute of an entry.
enum class Attribute { type_name, entry_type, importance, tags, metadata, user_id, expiry };

/// The attributes of an entry. An update keeps those that have their default values here and are not `cleared`.
struct EntryOptions {
  /// The name that the writer uses for the value's type, at most 256 bytes.
  std::string type_name{};
  /// The type of the entry. Default: a fact.
  v1::EntryType entry_type = v1::ENTRY_TYPE_UNSPECIFIED;
  /// The importance, from 0 to 1. Default: 0.5.
  std::optional<double> importance{};
  /// The tags, at most 64.
  std::vector<std::string> tags{};
  /// An object of additional JSON values that the writer defines. Numbers are doubles: integers beyond 2^53 lose their
  /// last digits.
  nlohmann::json metadata{};
  /// The user that the entry is about, at most 256 bytes, or empty for none. Default: the agent's bound user, or else
  /// none. An update keeps the entry's user by default.
  std::optional<std::string> user_id{};
  /// The expiry. Default: never.
  Expiry expiry{};
  /// The attributes to which an update gives their default values. Elsewhere it does not matter.
  std::vector<Attribute> cleared{};
};

/// The condition that there is none. If it is not met, the change throws RecordExists.
struct MustNotExist {};

/// The condition that there is one. If it is not met, the change throws RecordNotFound, or AgentNotFound if it is about
/// the agent.
struct MustExist {};

/// The condition that it has this revision, where 0 means that there is none. If it is not met, the change throws
/// RevisionMismatch.
struct ExpectedRevision {
  std::int64_t revision = 0;
};

/// The condition of a change, or none. If it is not met, nothing is changed.
///
/// The condition of a set or a removal is about the own entry of the agent or scope, not about an inherited one. That
/// of a new scope is about the active scope of its name directly under the same parent. That of WorkingMemory::clear(),
/// Scope::merge(), Scope::close() and Agent::end() is about the agent, whose revision is that of its last change.
using Condition = std::variant<std::monostate, MustNotExist, MustExist, ExpectedRevision>;

/// Selects whether reads in a scope fall back to its parents up to the root, or read the scope alone.
enum class Lookup { with_parents, local_only };

/// Returns the entry's value as a T, as decode() does.
/// @throws WrongType if the value is not a T, or if the entry was requested without its content.
template <class T = nlohmann::json>
[[nodiscard]] T value_of(const v1::Entry& entry) {
  return decode<T>(entry.key(), entry.value_json());
}

/// Converts a timestamp of a message to a time point of the standard library.
[[nodiscard]] std::chrono::system_clock::time_point time_of(const google::protobuf::Timestamp& timestamp);

}  // namespace memoryd
