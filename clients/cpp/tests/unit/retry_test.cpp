#include "retry.hpp"

#include <gtest/gtest.h>

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

const Failure kAway{.code = StatusCode::unavailable};
const Clock::time_point kNow{};

TEST(Backoff, DoublesUpToTheLongestDelay) {
  EXPECT_EQ(backoff(1, 2s, 1.0), 100ms);
  EXPECT_EQ(backoff(2, 2s, 1.0), 200ms);
  EXPECT_EQ(backoff(5, 2s, 1.0), 1600ms);
  EXPECT_EQ(backoff(6, 2s, 1.0), 2s);
  EXPECT_EQ(backoff(1'000'000, 5s, 1.0), 5s);
}

TEST(Backoff, IsShortenedByChanceToNoLessThanHalf) {
  EXPECT_EQ(backoff(1, 2s, 0.0), 50ms);
  EXPECT_EQ(backoff(1, 2s, 0.5), 75ms);
}

TEST(RandomChance, IsFromZeroToOne) {
  for (int tries = 0; tries < 100; ++tries) {
    const double chance = random_chance();
    EXPECT_GE(chance, 0.0);
    EXPECT_LE(chance, 1.0);
  }
}

TEST(Attempts, ContinueAfterUnavailableAndCancelled) {
  Attempts attempts(true, 10s, 10s, kNow);
  EXPECT_EQ(attempts.delay_after(kAway, kNow, 1.0), 100ms);
  EXPECT_EQ(attempts.delay_after({.code = StatusCode::cancelled}, kNow, 1.0), 200ms);
}

TEST(Attempts, ContinueAfterAnOverloadAlone) {
  Attempts attempts(true, 10s, 10s, kNow);
  const Failure overloaded{
      .code = StatusCode::resource_exhausted, .reason = "ERROR_REASON_OVERLOADED", .retry_delay = 250ms};
  EXPECT_EQ(attempts.delay_after(overloaded, kNow, 1.0), 250ms);
  EXPECT_EQ(attempts.delay_after({.code = StatusCode::resource_exhausted}, kNow, 1.0), std::nullopt);
}

TEST(Attempts, EndAfterAnyOtherError) {
  Attempts attempts(true, 10s, 10s, kNow);
  EXPECT_EQ(attempts.delay_after({.code = StatusCode::not_found}, kNow, 1.0), std::nullopt);
  EXPECT_EQ(attempts.delay_after({.code = StatusCode::deadline_exceeded}, kNow, 1.0), std::nullopt);
}

TEST(Attempts, EndAtOnceForACallThatIsNotSafeToRepeat) {
  Attempts attempts(false, 10s, 10s, kNow);
  EXPECT_EQ(attempts.delay_after(kAway, kNow, 1.0), std::nullopt);
}

TEST(Attempts, WaitForTheRetryDelayOfTheServer) {
  Attempts attempts(true, 10s, 10s, kNow);
  EXPECT_EQ(attempts.delay_after({.code = StatusCode::unavailable, .retry_delay = 3s}, kNow, 1.0), 3s);
}

TEST(Attempts, EndIfTheWaitWouldPassTheDeadline) {
  Attempts attempts(true, 10s, 10s, kNow);
  EXPECT_EQ(attempts.delay_after({.code = StatusCode::unavailable, .retry_delay = 10s}, kNow, 1.0), std::nullopt);
  EXPECT_EQ(attempts.delay_after(kAway, kNow + 9'900ms, 1.0), std::nullopt);
}

TEST(Attempts, EndAfterThePatience) {
  Attempts attempts(true, 10s, 5s, kNow);
  EXPECT_EQ(attempts.delay_after(kAway, kNow + 5s, 1.0), std::nullopt);
  Attempts brief(true, 1s, 5s, kNow);
  EXPECT_EQ(brief.delay_after(kAway, kNow + 1s, 1.0), std::nullopt);
}

TEST(Attempts, ShareOneTimeout) {
  const Attempts attempts(true, 10s, 10s, kNow);
  EXPECT_EQ(attempts.left(kNow + 4s), 6s);
  EXPECT_EQ(attempts.left(kNow + 11s), 1ms);
}

}  // namespace
}  // namespace memoryd::detail
