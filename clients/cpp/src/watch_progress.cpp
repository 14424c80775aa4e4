#include "watch_progress.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLongestReconnectDelay = 5s;

WatchPhase phase_of(v1::WatchPhase phase) {
  switch (phase) {
    case v1::WATCH_PHASE_OPENED:
      return WatchPhase::opened;
    case v1::WATCH_PHASE_INITIAL_STATE:
      return WatchPhase::initial_state;
    case v1::WATCH_PHASE_INITIAL_STATE_COMPLETE:
      return WatchPhase::initial_state_complete;
    case v1::WATCH_PHASE_LIVE:
      return WatchPhase::live;
    default:
      return WatchPhase::progress;
  }
}

WatchMessage message_of(v1::WatchEventsResponse response) {
  auto& events = *response.mutable_events();
  return {
      .phase = phase_of(response.phase()),
      .events = {std::make_move_iterator(events.begin()), std::make_move_iterator(events.end())},
      .revision = response.revision(),
      .resume_token = response.resume_token(),
      .revision_continues = response.revision_continues(),
  };
}

}  // namespace

WatchProgress::WatchProgress(v1::WatchEventsRequest request, std::chrono::milliseconds connect_timeout,
                             std::optional<std::chrono::milliseconds> outage_max, Clock::time_point now)
    : request_(std::move(request)),
      outage_max_(outage_max),
      give_up_at_(now + connect_timeout),
      position_(request_.resume_token()),
      resume_token_(request_.resume_token()),
      initial_state_complete_(!request_.include_initial_state()) {}

v1::WatchEventsRequest WatchProgress::request() const {
  auto request = request_;
  if (!position_.empty()) {
    request.set_resume_token(position_);
  }
  return request;
}

WatchMessage WatchProgress::receive(v1::WatchEventsResponse response) {
  auto message = message_of(std::move(response));
  failures_ = 0;
  give_up_at_.reset();
  if (message.phase == WatchPhase::opened) {
    resumes_ += opened_ ? 1 : 0;
    opened_ = true;
  } else if (message.phase == WatchPhase::initial_state) {
    heard_initial_state_ = true;
  } else if (message.phase == WatchPhase::initial_state_complete) {
    initial_state_complete_ = true;
  }
  // A token from before the end of the initial state would resume without the rest of it.
  if (initial_state_complete_ && !message.resume_token.empty()) {
    position_ = message.resume_token;
  }
  return message;
}

void WatchProgress::delivered(const WatchMessage& message) {
  if (initial_state_complete_ && !message.resume_token.empty()) {
    resume_token_ = message.resume_token;
  }
  if (message.revision != 0) {
    revision_ = message.revision;
  }
}

std::optional<std::chrono::nanoseconds> WatchProgress::delay_after(const Failure& failure, Clock::time_point now,
                                                                   double chance) {
  if (!may_pass(failure)) {
    return std::nullopt;
  }
  if (!give_up_at_ && outage_max_) {
    give_up_at_ = now + *outage_max_;
  }
  ++failures_;
  const std::chrono::nanoseconds requested = failure.retry_delay.value_or(0ms);
  const auto delay = std::max(requested, backoff(failures_, kLongestReconnectDelay, chance));
  const bool in_time = !give_up_at_ || delay < *give_up_at_ - now;
  return in_time ? std::optional(delay) : std::nullopt;
}

std::optional<WatchMessage> WatchProgress::restart() {
  if (!heard_initial_state_ || initial_state_complete_) {
    return std::nullopt;
  }
  heard_initial_state_ = false;
  return WatchMessage{.phase = WatchPhase::restarted};
}

}  // namespace memoryd::detail
