#pragma once

#include <memoryd/v1/event_service.pb.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "memoryd/watch.hpp"
#include "retry.hpp"

namespace memoryd::detail {

/// A watch without its connection: where it stands, across as many connections as it takes.
class WatchProgress {
 public:
  /// `connect_timeout` and `outage_max` are how long the daemon may stay away at first, and later.
  WatchProgress(v1::WatchEventsRequest request, std::chrono::milliseconds connect_timeout,
                std::optional<std::chrono::milliseconds> outage_max, Clock::time_point now);

  /// What to ask the server for now: from the start, or after the last message that came.
  [[nodiscard]] v1::WatchEventsRequest request() const;

  /// Notes a response, and answers what it says.
  [[nodiscard]] WatchMessage receive(v1::WatchEventsResponse response);

  /// Notes that the watcher has all of the message.
  void delivered(const WatchMessage& message);

  /// The wait before the next connection; none when there is to be none.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> delay_after(const Failure& failure, Clock::time_point now,
                                                                    double chance);

  /// What to tell the watcher when its initial state has to begin again; none when nothing is lost.
  [[nodiscard]] std::optional<WatchMessage> restart();

  [[nodiscard]] const std::string& resume_token() const noexcept { return resume_token_; }
  [[nodiscard]] std::int64_t revision() const noexcept { return revision_; }
  [[nodiscard]] bool initial_state_complete() const noexcept { return initial_state_complete_; }
  [[nodiscard]] int resumes() const noexcept { return resumes_; }

 private:
  v1::WatchEventsRequest request_;
  std::optional<std::chrono::milliseconds> outage_max_;
  std::optional<Clock::time_point> give_up_at_;
  // After the last message that came; resume_token_ is after the last one that was handed over.
  std::string position_;
  std::string resume_token_;
  std::int64_t revision_ = 0;
  int failures_ = 0;
  int resumes_ = 0;
  bool opened_ = false;
  bool heard_initial_state_ = false;
  bool initial_state_complete_;
};

}  // namespace memoryd::detail
