#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "connection.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd::detail {

/// The calls about the right to make one key's value.
class Reservation {
 public:
  Reservation(Connection& connection, const WorkingMemory& place, std::string_view key, const GetOrSetOptions& options);

  /// Asks for the entry, or for the right to make it, and waits so long for another holder.
  [[nodiscard]] v1::ReserveEntryResponse reserve(std::chrono::milliseconds wait) const;

  /// Runs the factory, and renews the lease meanwhile.
  [[nodiscard]] std::string make(const std::string& token, const std::function<std::string()>& factory) const;

  /// Stores the value that was made. Throws ReservationLost when the lease ended too early.
  void set(const std::string& token, const std::string& value_json) const;

  /// Lets the next caller make the value. That this fails is ignored: the lease ends by itself.
  void give_up(const std::string& token) const noexcept;

 private:
  [[nodiscard]] v1::ReserveEntryRequest request() const;
  void renew_until(const std::stop_token& done, const std::string& token) const;

  Connection& connection_;
  const WorkingMemory& place_;
  std::string key_;
  const GetOrSetOptions& options_;
};

}  // namespace memoryd::detail
