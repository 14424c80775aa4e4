#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "memoryd/watch.hpp"

namespace memoryd {

inline v1::Event entry_set(const std::string& scope_id, const std::string& key, const std::string& text,
                           std::int64_t expire_seconds = 0) {
  v1::Event event;
  event.set_type(v1::EVENT_TYPE_ENTRY_SET);
  auto& subject = *event.mutable_entry();
  subject.set_scope_id(scope_id);
  subject.set_key(key);
  auto& entry = *subject.mutable_entry();
  entry.set_key(key);
  entry.set_scope_id(scope_id);
  entry.set_value_json(text);
  if (expire_seconds != 0) {
    entry.mutable_expire_time()->set_seconds(expire_seconds);
  }
  return event;
}

inline v1::Event entry_removed(const std::string& key) {
  v1::Event event;
  event.set_type(v1::EVENT_TYPE_ENTRY_REMOVED);
  event.mutable_entry()->set_key(key);
  return event;
}

inline v1::Event scope_changed(v1::EventType type, const std::string& scope_id, const std::string& parent_id = "") {
  v1::Event event;
  event.set_type(type);
  event.mutable_scope()->set_scope_id(scope_id);
  event.mutable_scope()->set_parent_scope_id(parent_id);
  return event;
}

inline v1::Event note_created(const std::string& note_id, const std::string& content) {
  v1::Event event;
  event.set_type(v1::EVENT_TYPE_NOTE_CREATED);
  event.mutable_note()->set_note_id(note_id);
  event.mutable_note()->mutable_note()->set_content(content);
  return event;
}

inline v1::Event cleared(v1::EventType type, const std::string& scope_id = "") {
  v1::Event event;
  event.set_type(type);
  event.mutable_cleared()->set_scope_id(scope_id);
  return event;
}

inline v1::Event agent_ended() {
  v1::Event event;
  event.set_type(v1::EVENT_TYPE_AGENT_ENDED);
  event.mutable_agent();
  return event;
}

/// Returns the last message of an initial state, or a later one.
inline WatchMessage message_at(std::int64_t revision, std::vector<v1::Event> events = {},
                               WatchPhase phase = WatchPhase::initial_state_complete) {
  return {.phase = phase, .events = std::move(events), .revision = revision};
}

}  // namespace memoryd
