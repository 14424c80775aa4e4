#pragma once

#include <chrono>
#include <optional>

#include "memoryd/error.hpp"

namespace memoryd::detail {

using Clock = std::chrono::steady_clock;

/// The wait after so many failures in a row: growing, bounded, and not the same for two. `chance` is from 0 to 1.
[[nodiscard]] std::chrono::nanoseconds backoff(int failures, std::chrono::nanoseconds longest, double chance);

/// A random number from 0 to 1.
[[nodiscard]] double random_chance();

/// Whether the daemon may be back in a while. A server that stops cancels what arrives in that very moment.
[[nodiscard]] bool may_pass(const Failure& failure);

/// The attempts of one call, all within its timeout; an unreachable server is asked again within `patience`.
class Attempts {
 public:
  Attempts(bool repeatable, std::chrono::milliseconds timeout, std::chrono::milliseconds patience,
           Clock::time_point now);

  /// The time that is left for an attempt.
  [[nodiscard]] Clock::duration left(Clock::time_point now) const;

  /// The wait before the next attempt; none when there is to be none.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> delay_after(const Failure& failure, Clock::time_point now,
                                                                    double chance);

 private:
  bool repeatable_;
  Clock::time_point deadline_;
  Clock::time_point patient_until_;
  int failures_ = 0;
};

}  // namespace memoryd::detail
