#include "retry.hpp"

#include <algorithm>
#include <random>

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kFirstDelay = 100ms;
constexpr std::chrono::nanoseconds kLongestRetryDelay = 2s;
// After this many doublings every delay is the longest one; more would overflow.
constexpr int kDoublingsMax = 16;

}  // namespace

std::chrono::nanoseconds backoff(int failures, std::chrono::nanoseconds longest, double chance) {
  const auto doubled = kFirstDelay * (1 << std::clamp(failures - 1, 0, kDoublingsMax));
  const std::chrono::duration<double, std::nano> delay = std::min(longest, doubled) * (0.5 + chance / 2);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(delay);
}

double random_chance() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>()(generator);
}

bool may_pass(const Failure& failure) {
  return failure.code == StatusCode::unavailable || failure.code == StatusCode::cancelled ||
         failure.reason == "ERROR_REASON_OVERLOADED";
}

Attempts::Attempts(bool repeatable, std::chrono::milliseconds timeout, std::chrono::milliseconds patience,
                   Clock::time_point now)
    : repeatable_(repeatable), deadline_(now + timeout), patient_until_(now + std::min(patience, timeout)) {}

Clock::duration Attempts::left(Clock::time_point now) const { return std::max<Clock::duration>(1ms, deadline_ - now); }

std::optional<std::chrono::nanoseconds> Attempts::delay_after(const Failure& failure, Clock::time_point now,
                                                              double chance) {
  ++failures_;
  if (!repeatable_ || !may_pass(failure)) {
    return std::nullopt;
  }
  const auto delay = failure.retry_delay ? std::chrono::nanoseconds(*failure.retry_delay)
                                         : backoff(failures_, kLongestRetryDelay, chance);
  return delay < patient_until_ - now ? std::optional(delay) : std::nullopt;
}

}  // namespace memoryd::detail
