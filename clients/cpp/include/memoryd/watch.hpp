#pragma once

#include <memoryd/v1/event.pb.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace memoryd {

namespace v1 {
class WatchEventsRequest;
}

namespace detail {
class Connection;
}

/// Begins a watch with the existing state.
struct InitialState {};

/// Begins a watch with the events after this revision of the agent.
struct AfterRevision {
  std::int64_t revision = 0;
};

/// Begins a watch after the last event that another watch had returned when its Watch::resume_token() was this token.
struct ResumeToken {
  std::string token{};
};

/// The beginning of a watch. Default: the next commit.
using WatchStart = std::variant<std::monostate, InitialState, AfterRevision, ResumeToken>;

/// The limits of a watch.
struct WatchPatience {
  /// How long the daemon may stay unavailable before the watch fails; none is no limit.
  std::optional<std::chrono::milliseconds> outage_max = std::chrono::seconds(300);
  /// Ends the watch as Watch::close() does. If the watch has not opened yet, Cancelled is thrown.
  std::stop_token stop{};
};

/// The options of a watch.
struct WatchOptions {
  /// Selects the events about entries whose key starts with it. Events that are not about one entry are emitted, too.
  std::string key_prefix{};
  /// Selects the events of these types; all if empty.
  std::vector<v1::EventType> event_types{};
  WatchStart start{};
  /// If false, events do not carry the values of entries.
  bool values = true;
  /// How often the resume token advances when no event matches, from 100 ms to 1 hour. Default: 30 s.
  std::optional<std::chrono::milliseconds> progress_interval{};
  /// Omits the events that this origin caused.
  std::string exclude_origin{};
  WatchPatience patience{};
};

/// The phase of a message. `restarted` comes from this library: the connection broke during the initial state, which is
/// sent again from its beginning. Discard what was received of it so far.
enum class WatchPhase { opened, initial_state, initial_state_complete, live, progress, restarted };

/// One message of a watch: its events and their phase.
struct WatchMessage {
  WatchPhase phase = WatchPhase::progress;
  std::vector<v1::Event> events{};
  /// The agent's revision up to which all events were sent if the filters name exactly one agent, else 0.
  std::int64_t revision = 0;
  /// The token that continues after this message. Empty during the initial state.
  std::string resume_token{};
  /// True if the next message has more events of the last event's revision.
  bool revision_continues = false;
};

/// Committed events as they happen: each once, in order, also across restarts of the daemon.
///
///     auto watch = agent.watch();
///     for (const auto& event : watch) ...
///
/// No commit after its construction is missed. One thread at a time may read; any thread may call close() and the
/// getters. Reading throws RevisionCompacted if the journal no longer retains the next event, Unavailable if the daemon
/// stays unavailable for outage_max, and another class of Error if the watch is refused. An error ends the watch.
class Watch {
 public:
  class Iterator {
   public:
    using value_type = v1::Event;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Watch& watch) : watch_(&watch), event_(watch.next()) {}

    const v1::Event& operator*() const { return *event_; }
    const v1::Event* operator->() const { return &*event_; }
    Iterator& operator++() {
      event_ = watch_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !event_; }

   private:
    Watch* watch_;
    std::optional<v1::Event> event_;
  };

  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;
  ~Watch();

  /// Waits for the next event, and returns it, or none once the watch is closed.
  [[nodiscard]] std::optional<v1::Event> next();

  /// Waits for the next message, and returns it with its phase, or none once the watch is closed.
  [[nodiscard]] std::optional<WatchMessage> next_message();

  /// Returns an iterator over the events, which ends when the watch is closed.
  [[nodiscard]] Iterator begin() { return Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Ends the watch, from any thread. An iteration over it ends without an error.
  void close() noexcept;

  /// Returns the token with which a later watch continues after the last event that was returned; empty at first. Save
  /// it once that event is processed. Within a message of many events it stays at the previous message.
  [[nodiscard]] std::string resume_token() const;

  /// Returns the agent's revision up to which all events were returned if the filters name exactly one agent, else 0.
  [[nodiscard]] std::int64_t revision() const;

  /// Returns whether the initial state was received completely; true from the start if none was requested.
  [[nodiscard]] bool initial_state_complete() const;

  /// Returns the number of times the watch has reconnected.
  [[nodiscard]] int resumes() const;

 private:
  friend class Agent;
  friend class Client;
  friend class Scope;

  Watch(std::shared_ptr<detail::Connection> connection, v1::WatchEventsRequest request, WatchPatience patience);

  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace memoryd
