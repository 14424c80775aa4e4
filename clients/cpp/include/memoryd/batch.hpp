#pragma once

#include <memoryd/v1/working_memory_service.pb.h>

#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "memoryd/entry.hpp"
#include "memoryd/value.hpp"

namespace memoryd {

/// Up to 1,000 sets and removes in one agent or scope, which WorkingMemory::write() applies atomically. A key may occur
/// once.
class Batch {
 public:
  /// Stores a value when the batch is written.
  /// @throws UnsupportedValue at once, if JSON cannot represent the value.
  void set(std::string_view key, const nlohmann::json& value, const EntryOptions& options = {},
           const Condition& condition = {}) {
    set_text(key, encode(value), options, condition);
  }

  /// Stores JSON text byte for byte when the batch is written.
  void set(std::string_view key, const std::same_as<Json> auto& value, const EntryOptions& options = {},
           const Condition& condition = {}) {
    set_text(key, encode(value), options, condition);
  }

  /// Removes a key when the batch is written. A key without an entry is not an error, unless the condition says so.
  void remove(std::string_view key, const Condition& condition = {});

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(request_.operations_size()); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  friend class WorkingMemory;

  void set_text(std::string_view key, std::string value_json, const EntryOptions& options, const Condition& condition);

  v1::BatchWriteEntriesRequest request_;
  // The positions of the sets whose options name a user, or none: no bound user replaces it.
  std::set<int> naming_users_;
};

}  // namespace memoryd
