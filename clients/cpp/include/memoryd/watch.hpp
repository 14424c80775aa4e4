#pragma once

#include <memoryd/v1/event.pb.h>
#include <memoryd/v1/record_filter.pb.h>

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

#include "memoryd/alternatives.hpp"
#include "memoryd/entry.hpp"

namespace memoryd {

namespace v1 {
class WatchEventsRequest;
}

namespace detail {
class Connection;
class NearCopy;

template <class T>
[[nodiscard]] std::optional<T> value_in(const v1::Entry& entry) {
  // No value is empty JSON text.
  return entry.value_json().empty() ? std::nullopt : std::optional<T>(value_of<T>(entry));
}
}  // namespace detail

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

/// The options of a watch. An event is emitted if it matches every selection. With a key_prefix, conversation_ids,
/// user_ids or filter, events that may concern such records, such as those about the whole agent, are emitted, too.
struct WatchOptions {
  /// Selects the events about entries whose key starts with it.
  std::string key_prefix{};
  /// Selects the events of these types. Default: all.
  Alternatives<v1::EventType> event_types{};
  /// Selects the events about records of these kinds. Default: all.
  Alternatives<v1::RecordKind> kinds{};
  /// Selects the events of these causes. Default: all. Those of the initial state have EVENT_CAUSE_INITIAL_STATE.
  Alternatives<v1::EventCause> causes{};
  /// Selects the events of these conversations, and of their messages, plans, windows of entities and memories. An
  /// empty id selects records of no conversation.
  Alternatives<std::string> conversation_ids{};
  /// Selects the events of records about these users. An empty id selects records about no user. Default: the
  /// agent's bound user, or else all.
  Alternatives<std::string> user_ids{};
  /// Further conditions on the records. The two options above are added to it; watching throws InvalidArgument if it
  /// has the same list.
  v1::RecordFilter filter{};
  WatchStart start{};
  /// If false, what a writer wrote is omitted, such as the values, type names, tags and metadata of entries. Ids, keys,
  /// numbers, enums and times remain.
  bool content = true;
  /// If true, events also have the record before the change, if the journal still retains it.
  bool previous = false;
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

/// Returns the value of an entry after a change as a T, as decode() does, or none if the change removed the entry, or
/// if the watch is without content.
/// @throws WrongType if the value is not a T.
template <class T = nlohmann::json>
[[nodiscard]] std::optional<T> value_after(const v1::EntryEvent& event) {
  return detail::value_in<T>(event.entry());
}

/// Returns the value of an entry before a change as a T, as decode() does, or none if the change created the entry, if
/// the watch is without WatchOptions::previous or without content, or if the journal no longer retains it.
/// @throws WrongType if the value is not a T.
template <class T = nlohmann::json>
[[nodiscard]] std::optional<T> value_before(const v1::EntryEvent& event) {
  return detail::value_in<T>(event.previous());
}

/// Committed events as they happen: each once, in order, also across restarts of the daemon.
///
///     auto watch = agent.watch();
///     for (const auto& event : watch) {
///       switch (event.subject_case()) {
///         case v1::Event::kEntry: std::cout << event.entry().key() << '\n'; break;
///         case v1::Event::kScope: std::cout << event.scope().name() << '\n'; break;
///         default: break;
///       }
///     }
///
/// The subject is what an event is about: the ids of a record, the record after the change, which is absent if the
/// change removed it, and the one before it (see WatchOptions::previous). The case is SUBJECT_NOT_SET if the server is
/// newer than this library and has other subjects.
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
  friend class detail::NearCopy;

  Watch(std::shared_ptr<detail::Connection> connection, v1::WatchEventsRequest request, WatchPatience patience);

  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace memoryd
