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

/// Where a watch begins: first tell what is there.
struct InitialState {};

/// Where a watch begins: with the events after this revision of the agent.
struct AfterRevision {
  std::int64_t revision = 0;
};

/// Where a watch begins: where the watch that had this token was, as Watch::resume_token() told.
struct ResumeToken {
  std::string token{};
};

/// Where a watch begins; with the next commit when nothing is said.
using WatchStart = std::variant<std::monostate, InitialState, AfterRevision, ResumeToken>;

/// How long a watch goes on.
struct WatchPatience {
  /// How long the daemon may stay away before the watch fails; none waits for ever.
  std::optional<std::chrono::milliseconds> outage_max = std::chrono::seconds(300);
  /// Ends the watch as Watch::close() does; a watch that has yet to begin, with Cancelled.
  std::stop_token stop{};
};

/// What to watch, and how.
struct WatchOptions {
  /// Keeps the events about one entry whose key starts with it; events about more than one pass.
  std::string key_prefix{};
  /// Keeps the events of these types; all when empty.
  std::vector<v1::EventType> event_types{};
  WatchStart start{};
  /// Whether events carry the values of entries.
  bool values = true;
  /// How often a watch with nothing to tell says so in next_message(): 100 ms to 1 hour; 30 s when left out.
  std::optional<std::chrono::milliseconds> progress_interval{};
  /// Leaves out the events that this origin has caused.
  std::string exclude_origin{};
  WatchPatience patience{};
};

/// Where a watch stands. `restarted` comes from this library: the connection broke during the initial state, which is
/// now told again from its beginning; forget what it told so far.
enum class WatchPhase { opened, initial_state, initial_state_complete, live, progress, restarted };

/// One message of a watch, for those who want more than its events.
struct WatchMessage {
  WatchPhase phase = WatchPhase::progress;
  std::vector<v1::Event> events{};
  /// The agent's revision up to which all was told, when the filters name exactly one agent; else 0.
  std::int64_t revision = 0;
  /// Continues after this message; empty during the initial state.
  std::string resume_token{};
  /// Whether the next message has more events of the last event's revision.
  bool revision_continues = false;
};

/// Committed events as they happen: each once, in order, also across restarts of the daemon.
///
///     auto watch = agent.watch();
///     for (const auto& event : watch) ...
///
/// From its construction on, no commit is missed. One thread reads; close() and the properties are for all threads.
/// Reading throws RevisionCompacted when the journal no longer has what comes next, Unavailable when the daemon stayed
/// away for outage_max, and other classes of Error for a watch that is refused; the watch has ended then.
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

  /// Waits for the next event; none when the watch was closed.
  [[nodiscard]] std::optional<v1::Event> next();

  /// Waits for the next message with its phase, instead of its events alone; none when the watch was closed.
  [[nodiscard]] std::optional<WatchMessage> next_message();

  /// The events until the watch is closed.
  [[nodiscard]] Iterator begin() { return Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  /// Ends the watch, from any thread. Who waits for its next event sees its end.
  void close() noexcept;

  /// Continues after the last event that was handed over, for a later watch. Keep it once that event is dealt with:
  /// inside a message of many events it stays at the one before. Empty until there is one.
  [[nodiscard]] std::string resume_token() const;

  /// The agent's revision up to which all was handed over, when the filters name exactly one agent; else 0.
  [[nodiscard]] std::int64_t revision() const;

  /// Whether what was there at the start has been told; true from the start when it was not asked for.
  [[nodiscard]] bool initial_state_complete() const;

  /// How often the watch has connected again.
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
