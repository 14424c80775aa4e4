#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "connection.hpp"
#include "memoryd/working_memory.hpp"

namespace memoryd::detail {

/// The calls about a reservation: the exclusive right to make the value of one key.
class Reservation {
 public:
  Reservation(Connection& connection, const WorkingMemory& place, std::string_view key, const GetOrSetOptions& options);

  /// Requests the entry or a reservation, and waits for another holder for this time.
  [[nodiscard]] v1::ReserveEntryResponse reserve(std::chrono::milliseconds wait) const;

  /// Runs the factory, and renews the lease meanwhile.
  [[nodiscard]] std::string make(const std::string& token, const std::function<std::string()>& factory) const;

  /// Stores the value. Throws ReservationLost if the reservation was lost meanwhile.
  void set(const std::string& token, const std::string& value_json) const;

  /// Releases the reservation for the next caller. A failure is ignored, because the lease expires anyway.
  void give_up(const std::string& token) const noexcept;

 private:
  /// Returns a request about the key.
  template <class Request>
  [[nodiscard]] Request request_of() const;
  void renew_until(const std::stop_token& done, const std::string& token) const;

  Connection& connection_;
  const WorkingMemory& place_;
  std::string key_;
  const GetOrSetOptions& options_;
};

}  // namespace memoryd::detail
