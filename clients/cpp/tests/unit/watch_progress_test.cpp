#include "watch_progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

const Clock::time_point kBegin{};
const Failure kOutage{.code = StatusCode::unavailable};

WatchProgress progress_of(const v1::WatchEventsRequest& request = {}) { return {request, 5s, 300s, kBegin}; }

v1::WatchEventsResponse response_of(v1::WatchPhase phase, const std::string& token = "", int events = 0) {
  v1::WatchEventsResponse response;
  response.set_phase(phase);
  response.set_resume_token(token);
  for (int index = 0; index < events; ++index) {
    response.add_events()->set_index(index);
  }
  return response;
}

v1::WatchEventsRequest with_initial_state() {
  v1::WatchEventsRequest request;
  request.set_include_initial_state(true);
  return request;
}

TEST(WatchProgress, ResumesAfterTheLastReceivedMessage) {
  auto progress = progress_of();
  EXPECT_EQ(progress.request().resume_token(), "");
  progress.delivered(progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0")));
  (void)progress.receive(response_of(v1::WATCH_PHASE_LIVE, "1", 2));
  EXPECT_EQ(progress.request().resume_token(), "1");
}

TEST(WatchProgress, HasTheTokenOfTheLastDeliveredMessage) {
  auto progress = progress_of();
  progress.delivered(progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0")));
  const auto message = progress.receive(response_of(v1::WATCH_PHASE_LIVE, "1", 2));
  EXPECT_EQ(message.events.size(), 2U);
  EXPECT_EQ(progress.resume_token(), "0");
  progress.delivered(message);
  EXPECT_EQ(progress.resume_token(), "1");
}

TEST(WatchProgress, BeginsWithTheGivenToken) {
  v1::WatchEventsRequest request;
  request.set_resume_token("given");
  EXPECT_EQ(progress_of(request).resume_token(), "given");
}

TEST(WatchProgress, DoesNotUseATokenFromWithinTheInitialState) {
  auto progress = progress_of(with_initial_state());
  progress.delivered(progress.receive(response_of(v1::WATCH_PHASE_OPENED, "early")));
  progress.delivered(progress.receive(response_of(v1::WATCH_PHASE_INITIAL_STATE, "", 1)));
  EXPECT_FALSE(progress.initial_state_complete());
  EXPECT_EQ(progress.resume_token(), "");
  EXPECT_TRUE(progress.request().include_initial_state());
  progress.delivered(progress.receive(response_of(v1::WATCH_PHASE_INITIAL_STATE_COMPLETE, "late")));
  EXPECT_TRUE(progress.initial_state_complete());
  EXPECT_EQ(progress.resume_token(), "late");
  EXPECT_EQ(progress.request().resume_token(), "late");
}

TEST(WatchProgress, RestartsAnIncompleteInitialState) {
  auto progress = progress_of(with_initial_state());
  (void)progress.receive(response_of(v1::WATCH_PHASE_OPENED));
  EXPECT_FALSE(progress.restart().has_value());
  (void)progress.receive(response_of(v1::WATCH_PHASE_INITIAL_STATE, "", 1));
  EXPECT_EQ(progress.restart()->phase, WatchPhase::restarted);
  EXPECT_FALSE(progress.restart().has_value());
}

TEST(WatchProgress, CountsResumes) {
  auto progress = progress_of();
  (void)progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0"));
  EXPECT_EQ(progress.resumes(), 0);
  (void)progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0"));
  EXPECT_EQ(progress.resumes(), 1);
}

TEST(WatchProgress, GivesUpAfterTheConnectTimeoutIfItNeverOpened) {
  auto progress = progress_of();
  EXPECT_EQ(progress.delay_after(kOutage, kBegin, 1.0), 100ms);
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 1s, 1.0), 200ms);
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 5s, 1.0), std::nullopt);
}

TEST(WatchProgress, GivesUpAfterTheMaximumOutage) {
  auto progress = progress_of();
  (void)progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0"));
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 1000s, 1.0), 100ms);
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 1299s, 1.0), 200ms);
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 1300s, 1.0), std::nullopt);
}

TEST(WatchProgress, ResetsFailuresAfterAMessage) {
  auto progress = progress_of();
  (void)progress.delay_after(kOutage, kBegin, 1.0);
  (void)progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0"));
  EXPECT_EQ(progress.delay_after(kOutage, kBegin, 1.0), 100ms);
}

TEST(WatchProgress, NeverGivesUpWithoutAMaximumOutage) {
  WatchProgress progress({}, 5s, std::nullopt, kBegin);
  (void)progress.receive(response_of(v1::WATCH_PHASE_OPENED, "0"));
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 1h, 1.0), 100ms);
  EXPECT_EQ(progress.delay_after(kOutage, kBegin + 1000h, 1.0), 200ms);
}

TEST(WatchProgress, WaitsForTheGreaterOfBackoffAndRetryDelay) {
  auto progress = progress_of();
  EXPECT_EQ(progress.delay_after({.code = StatusCode::unavailable, .retry_delay = 1s}, kBegin, 1.0), 1s);
  EXPECT_EQ(progress.delay_after({.code = StatusCode::unavailable, .retry_delay = 1ms}, kBegin, 1.0), 200ms);
}

TEST(WatchProgress, EndsAfterAnyOtherError) {
  auto progress = progress_of();
  EXPECT_EQ(progress.delay_after({.code = StatusCode::out_of_range}, kBegin, 1.0), std::nullopt);
}

}  // namespace
}  // namespace memoryd::detail
