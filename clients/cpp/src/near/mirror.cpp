#include "near/mirror.hpp"

#include <chrono>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <utility>

#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// The memory that a record takes beside its texts.
constexpr std::int64_t kRecordBytes = 1'000;

std::int64_t expiry_of(const v1::Entry& entry) {
  // Nanoseconds since the epoch end in the year 2262.
  if (!entry.has_expire_time() || entry.expire_time().seconds() >= kNever / kNanosPerSecond) {
    return kNever;
  }
  return entry.expire_time().seconds() * kNanosPerSecond + entry.expire_time().nanos();
}

std::optional<nlohmann::json> plain_of(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] == '{' || text[first] == '[') {
    return std::nullopt;
  }
  auto value = nlohmann::json::parse(text, nullptr, false);
  return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

std::int64_t bytes_of(const v1::Entry& entry) {
  return kRecordBytes + static_cast<std::int64_t>(entry.key().size() + entry.value_json().size());
}

std::int64_t bytes_of(const v1::Note& note) {
  return kRecordBytes + static_cast<std::int64_t>(note.title().size() + note.content().size());
}

}  // namespace

std::int64_t wall_clock() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

Mirror::Mirror(std::int64_t bytes_max, WallClock clock) : bytes_max_(bytes_max), clock_(std::move(clock)) { empty(); }

void Mirror::apply(WatchMessage message) {
  if (message.phase == WatchPhase::opened) {
    return;
  }
  unfinished_.insert(unfinished_.end(), std::make_move_iterator(message.events.begin()),
                     std::make_move_iterator(message.events.end()));
  if (message.revision_continues) {
    return;
  }
  has_ended_ = has_ended_ && message.revision == revision_;
  for (auto& event : unfinished_) {
    change(event);
  }
  unfinished_.clear();
  revision_ = message.revision;
  if (message.phase == WatchPhase::initial_state_complete) {
    is_complete_ = true;
  }
  if (size_bytes_ > bytes_max_) {
    throw CacheFull(
        {.message = "the near cache is full: its records take more than " + std::to_string(bytes_max_) + " bytes"});
  }
}

std::optional<MirroredEntryPtr> Mirror::find(std::string_view scope_id, std::string_view key, Lookup lookup) const {
  const auto path = paths_.find(scope_id);
  if (path == paths_.end()) {
    return std::nullopt;
  }
  for (const auto& own : path->second) {
    const auto found = own->find(key);
    if (found != own->end() && is_alive(*found->second)) {
      return found->second;
    }
    if (lookup == Lookup::local_only) {
      break;
    }
  }
  return MirroredEntryPtr();
}

std::optional<std::vector<MirroredEntryPtr>> Mirror::entries(std::string_view scope_id, std::string_view key_prefix,
                                                             bool inherited) const {
  const auto path = paths_.find(scope_id);
  if (path == paths_.end()) {
    return std::nullopt;
  }
  std::vector<MirroredEntryPtr> all;
  std::unordered_set<std::string_view> seen;
  for (const auto& own : path->second) {
    for (const auto& [key, entry] : *own) {
      if (key.starts_with(key_prefix) && is_alive(*entry) && seen.insert(key).second) {
        all.push_back(entry);
      }
    }
    if (!inherited) {
      break;
    }
  }
  return all;
}

bool Mirror::is_alive(const MirroredEntry& entry) const {
  return entry.expires_at == kNever || clock_() < entry.expires_at;
}

void Mirror::empty() {
  paths_.clear();
  paths_.emplace("", Path{std::make_shared<Own>()});
  notes_.clear();
  size_bytes_ = 0;
}

void Mirror::change(v1::Event& event) {
  has_ended_ = event.type() == v1::EVENT_TYPE_AGENT_ENDED;
  exists_ = !has_ended_;
  if (!exists_) {
    empty();
    ++lives_;
  } else if (event.has_entry()) {
    change_entry(*event.mutable_entry());
  } else if (event.has_scope()) {
    change_scope(event.type(), event.scope());
  } else if (event.has_note()) {
    auto& note = *event.mutable_note();
    set_note(note.note_id(), note.has_note() ? std::make_shared<v1::Note>(std::move(*note.mutable_note())) : nullptr);
  } else if (event.type() == v1::EVENT_TYPE_ENTRIES_CLEARED) {
    clear_entries(event.cleared().scope_id());
  } else if (event.type() == v1::EVENT_TYPE_NOTES_CLEARED) {
    while (!notes_.empty()) {
      set_note(std::string(notes_.begin()->first), nullptr);
    }
  }
}

void Mirror::change_scope(v1::EventType type, const v1::ScopeEvent& scope) {
  if (type == v1::EVENT_TYPE_SCOPE_DISPOSED) {
    clear_entries(scope.scope_id());
    paths_.erase(scope.scope_id());
  } else if (!paths_.contains(scope.scope_id())) {
    Path path{std::make_shared<Own>()};
    if (const auto parent = paths_.find(scope.parent_scope_id()); parent != paths_.end()) {
      path.insert(path.end(), parent->second.begin(), parent->second.end());
    }
    paths_.emplace(scope.scope_id(), std::move(path));
  }
}

void Mirror::change_entry(v1::EntryEvent& event) {
  const auto path = paths_.find(event.scope_id());
  if (path == paths_.end()) {
    // It is of a scope that the mirror does not have.
    return;
  }
  auto& own = *path->second.front();
  if (const auto before = own.find(event.key()); before != own.end()) {
    size_bytes_ -= bytes_of(before->second->message);
    own.erase(before);
  }
  if (event.has_entry()) {
    auto& entry = *event.mutable_entry();
    size_bytes_ += bytes_of(entry);
    const auto expires_at = expiry_of(entry);
    auto plain = plain_of(entry.value_json());
    own.emplace(event.key(),
                std::make_shared<const MirroredEntry>(MirroredEntry{std::move(entry), expires_at, std::move(plain)}));
  }
}

void Mirror::set_note(const std::string& note_id, NotePtr note) {
  if (const auto before = notes_.find(note_id); before != notes_.end()) {
    size_bytes_ -= bytes_of(*before->second);
    notes_.erase(before);
  }
  if (note) {
    size_bytes_ += bytes_of(*note);
    notes_.emplace(note_id, std::move(note));
  }
}

void Mirror::clear_entries(const std::string& scope_id) {
  const auto path = paths_.find(scope_id);
  if (path == paths_.end()) {
    return;
  }
  auto& own = *path->second.front();
  for (const auto& [key, entry] : own) {
    size_bytes_ -= bytes_of(entry->message);
  }
  own.clear();
}

}  // namespace memoryd::detail
