#pragma once

#include <chrono>
#include <optional>

#include "memoryd/error.hpp"

namespace memoryd::detail {

using Clock = std::chrono::steady_clock;

/// Returns the wait after this number of consecutive failures. It doubles up to `longest`. `chance`, from 0 to 1,
/// spreads the clients, so that they do not return to a restarted daemon all at once.
[[nodiscard]] std::chrono::nanoseconds backoff(int failures, std::chrono::nanoseconds longest, double chance);

/// Returns a random number from 0 to 1.
[[nodiscard]] double random_chance();

/// Returns whether the cause may pass, so that a retry is useful. Cancelled is among them because a server that stops
/// cancels the calls that arrive at that moment.
[[nodiscard]] bool may_pass(const Failure& failure);

/// The attempts of one call, all within its timeout. `patience` limits the retries while the server is unavailable.
class Attempts {
 public:
  Attempts(bool repeatable, std::chrono::milliseconds timeout, std::chrono::milliseconds patience,
           Clock::time_point now);

  /// Returns the time that is left for an attempt.
  [[nodiscard]] Clock::duration left(Clock::time_point now) const;

  /// Returns the wait before the next attempt, or none if there is no further attempt.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> delay_after(const Failure& failure, Clock::time_point now,
                                                                    double chance);

 private:
  bool repeatable_;
  Clock::time_point deadline_;
  Clock::time_point patient_until_;
  int failures_ = 0;
};

}  // namespace memoryd::detail
