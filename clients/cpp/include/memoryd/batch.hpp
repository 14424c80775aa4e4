#pragma once

#include <memoryd/v1/working_memory_service.pb.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "memoryd/entry.hpp"
#include "memoryd/value.hpp"

namespace memoryd {

/// Sets and removes of one place, gathered until WorkingMemory::write() carries them out together: at most 1,000, each
/// key at most once.
class Batch {
 public:
  /// Stores a value when the batch is written.
  /// @throws UnsupportedValue at once for what JSON cannot hold.
  void set(std::string_view key, const nlohmann::json& value, const EntryOptions& options = {},
           const Condition& condition = {}) {
    set_text(key, encode(value), options, condition);
  }

  /// Stores JSON text as it is when the batch is written.
  void set(std::string_view key, const std::same_as<Json> auto& value, const EntryOptions& options = {},
           const Condition& condition = {}) {
    set_text(key, encode(value), options, condition);
  }

  /// Removes a key when the batch is written. A key that has no entry is no error.
  void remove(std::string_view key, std::optional<std::int64_t> expected_revision = {});

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(request_.operations_size()); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  friend class WorkingMemory;

  void set_text(std::string_view key, std::string value_json, const EntryOptions& options, const Condition& condition);

  v1::BatchWriteEntriesRequest request_;
};

}  // namespace memoryd
