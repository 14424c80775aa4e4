#pragma once

#include <memoryd/v1/event_service.pb.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "memoryd/near_options.hpp"
#include "memoryd/place.hpp"
#include "near/fair_mutex.hpp"
#include "near/mark.hpp"
#include "near/mirror.hpp"
#include "retry.hpp"

namespace memoryd::detail {

/// The mirror of an agent, which its threads keep current. All threads may use it.
class NearCopy : public std::enable_shared_from_this<NearCopy> {
 public:
  /// Throws InvalidArgument for options that are not allowed.
  NearCopy(Place place, NearCacheOptions options);
  ~NearCopy();

  NearCopy(const NearCopy&) = delete;
  NearCopy& operator=(const NearCopy&) = delete;

  /// Begins to follow the agent, and returns once the mirror is complete. Throws the error of the watch.
  void open();

  /// Ends the copy. Its reads then ask the daemon.
  void close() noexcept;

  [[nodiscard]] const std::string& agent_id() const noexcept { return place_.agent_id; }

  /// Reads the mirror, which does not change meanwhile. Returns none if the daemon is to be asked, and throws StaleRead
  /// if the read is to be refused.
  template <class Read>
  [[nodiscard]] auto read(const Read& from) const -> decltype(from(std::declval<const Mirror&>())) {
    const std::shared_lock lock(mutex_);
    return may_serve() ? from(mirror_) : std::nullopt;
  }

  /// Returns whether the mirror has the keys that start with a prefix.
  [[nodiscard]] bool holds(std::string_view key_prefix) const { return key_prefix.starts_with(options_.key_prefix); }
  [[nodiscard]] bool holds_notes() const noexcept { return options_.notes; }

  [[nodiscard]] std::int64_t revision() const;
  [[nodiscard]] std::int64_t size_bytes() const;
  [[nodiscard]] std::optional<Clock::duration> staleness() const;

  /// Returns the state that the mirror has.
  [[nodiscard]] Mark reached() const;

  /// Waits until the mirror has a write of this client that has returned, at most until a time. Then the write is owed.
  void see(const Mark& written, Clock::time_point until, const std::stop_token& stop);

  /// Takes note of a write that has returned and that the mirror may not have: reads ask the daemon until it does.
  void owe(const Mark& written);

  // The steps of the threads.

  void apply(WatchMessage message);
  /// Uses a mirror whose watch has begun at a time.
  void replace(Mirror loaded, Clock::time_point began);
  /// Takes note of the error that has ended the watch.
  void fail(std::exception_ptr error);
  /// Returns what the mirror has reached, or none if it need not be found out how current it is.
  [[nodiscard]] std::optional<Mark> before_proof() const;
  /// Takes note that the mirror had all changes when a call began.
  void proved(Clock::time_point began);

 private:
  /// The state that the mirror owes, and the last time at which a write of it had returned.
  struct Debt {
    Mark mark;
    Clock::time_point at;
  };

  static constexpr auto kNotFresh = Clock::time_point::min();
  static constexpr auto kAlwaysFresh = Clock::time_point::max();

  [[nodiscard]] std::vector<std::string> scope_path() const;
  [[nodiscard]] v1::WatchEventsRequest watch_of(const std::vector<std::string>& scope_path) const;
  void follow(const v1::WatchEventsRequest& request);
  /// Returns whether the mirror was complete when the watch ended. `error` is the watch's.
  [[nodiscard]] bool follow_once(const v1::WatchEventsRequest& request, std::exception_ptr& error);
  void prove();
  void prove_once(std::chrono::milliseconds interval);

  /// Waits until a condition holds, which is checked under the mutex. Returns false if it does not by then, or if the
  /// copy or its watch has ended.
  bool wait(Clock::time_point until, const std::stop_token& stop, const std::function<bool()>& holds);
  void announce() { changed_.notify_all(); }

  // These need the mutex.
  [[nodiscard]] bool may_serve() const {
    return Clock::now() <= fresh_until_ || (options_.when_stale != WhenStale::ask && may_serve_stale());
  }
  [[nodiscard]] bool may_serve_stale() const;
  [[nodiscard]] bool may_go_on(const std::exception_ptr& error) const;
  void settle();
  void fresh_from(Clock::time_point complete);
  void set_fresh_until();
  void forget();

  Place place_;
  NearCacheOptions options_;
  std::stop_source ending_;

  mutable FairMutex mutex_;
  std::condition_variable_any changed_;
  Mirror mirror_;
  // The last time at which the mirror was complete, and the time until which it has all changes that it has to have.
  Clock::time_point fresh_at_ = kNotFresh;
  Clock::time_point fresh_until_ = kNotFresh;
  std::optional<Debt> debt_;
  std::exception_ptr failure_;

  std::stop_callback<std::function<void()>> end_with_client_;
  std::jthread following_;
  std::jthread proving_;
};

}  // namespace memoryd::detail
