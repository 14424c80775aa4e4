#pragma once

#include <memoryd/v1/event_service.pb.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "memoryd/watch.hpp"
#include "retry.hpp"

namespace memoryd::detail {

/// The state of a watch across its connections: builds requests, processes messages, and decides whether to reconnect.
/// Does no I/O.
class WatchProgress {
 public:
  /// Begins a watch. `connect_timeout` limits how long the daemon may stay unavailable before the watch has opened, and
  /// `outage_max` after that.
  WatchProgress(v1::WatchEventsRequest request, std::chrono::milliseconds connect_timeout,
                std::optional<std::chrono::milliseconds> outage_max, Clock::time_point now);

  /// Returns the request for the next connection: from the start, or after the last message that was received.
  [[nodiscard]] v1::WatchEventsRequest request() const;

  /// Processes a response, and returns it as a message.
  [[nodiscard]] WatchMessage receive(v1::WatchEventsResponse response);

  /// Advances the resume token past a message whose events were all delivered.
  void delivered(const WatchMessage& message);

  /// Returns the wait before the next connection, or none if there is no further one.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> delay_after(const Failure& failure, Clock::time_point now,
                                                                    double chance);

  /// Returns a message that the initial state begins again, or none if none of it is lost.
  [[nodiscard]] std::optional<WatchMessage> restart();

  [[nodiscard]] const std::string& resume_token() const noexcept { return resume_token_; }
  [[nodiscard]] std::int64_t revision() const noexcept { return revision_; }
  [[nodiscard]] bool initial_state_complete() const noexcept { return initial_state_complete_; }
  [[nodiscard]] int resumes() const noexcept { return resumes_; }

 private:
  v1::WatchEventsRequest request_;
  std::optional<std::chrono::milliseconds> outage_max_;
  std::optional<Clock::time_point> give_up_at_;
  // The token after the last message that was received, where a reconnection continues. resume_token_ is the one after
  // the last message whose events were all delivered.
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
