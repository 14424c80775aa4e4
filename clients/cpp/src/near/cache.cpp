#include <algorithm>
#include <tuple>
#include <utility>

#include "connection.hpp"
#include "memoryd/error.hpp"
#include "memoryd/near_cache.hpp"
#include "memoryd/notes.hpp"
#include "memoryd/scope.hpp"
#include "near/copy.hpp"

namespace memoryd {
namespace {

using detail::Mirror;
using detail::MirroredEntryPtr;

}  // namespace

NearMemory::NearMemory(std::shared_ptr<detail::NearCopy> copy, WorkingMemory memory)
    : copy_(std::move(copy)), memory_(std::move(memory)) {}

std::optional<v1::Entry> NearMemory::get_entry(std::string_view key, Lookup lookup) const {
  const auto found = find(key, lookup);
  if (!found) {
    return memory_.get_entry(key, lookup);
  }
  return *found ? std::optional((*found)->message) : std::nullopt;
}

bool NearMemory::contains(std::string_view key, Lookup lookup) const {
  const auto found = find(key, lookup);
  return found ? *found != nullptr : memory_.contains(key, lookup);
}

std::vector<v1::Entry> NearMemory::entries(const NearListOptions& options) const {
  std::vector<v1::Entry> entries;
  if (const auto listed = list(options)) {
    for (const auto& entry : *listed) {
      entries.push_back(entry->message);
    }
    return entries;
  }
  for (const auto& entry : memory_.entries({.inherited = options.inherited, .key_prefix = options.key_prefix})) {
    entries.push_back(entry);
  }
  return entries;
}

std::vector<std::string> NearMemory::keys(const NearListOptions& options) const {
  std::vector<std::string> keys;
  if (const auto listed = list(options)) {
    for (const auto& entry : *listed) {
      keys.push_back(entry->message.key());
    }
    return keys;
  }
  const ListOptions asked{.inherited = options.inherited, .key_prefix = options.key_prefix, .content = false};
  for (const auto& entry : memory_.entries(asked)) {
    keys.push_back(entry.key());
  }
  return keys;
}

std::optional<MirroredEntryPtr> NearMemory::find(std::string_view key, Lookup lookup) const {
  return copy_->read([&](const Mirror& mirror) {
    return copy_->holds(key) ? mirror.find(memory_.scope_id(), key, lookup) : std::nullopt;
  });
}

std::optional<std::vector<MirroredEntryPtr>> NearMemory::find_all(const std::vector<std::string>& keys,
                                                                  Lookup lookup) const {
  return copy_->read([&](const Mirror& mirror) {
    std::optional<std::vector<MirroredEntryPtr>> all(std::in_place);
    for (const auto& key : keys) {
      const auto found = copy_->holds(key) ? mirror.find(memory_.scope_id(), key, lookup) : std::nullopt;
      if (!found) {
        return std::optional<std::vector<MirroredEntryPtr>>();
      }
      if (*found) {
        all->push_back(*found);
      }
    }
    return all;
  });
}

std::optional<std::vector<MirroredEntryPtr>> NearMemory::list(const NearListOptions& options) const {
  auto listed = copy_->read([&](const Mirror& mirror) {
    return copy_->holds(options.key_prefix) ? mirror.entries(scope_id(), options.key_prefix, options.inherited)
                                            : std::nullopt;
  });
  if (listed) {
    std::erase_if(*listed, [this](const auto& entry) { return entry->message.user_id() != memory_.user_id(); });
    std::ranges::sort(*listed, {}, [](const auto& entry) -> const std::string& { return entry->message.key(); });
  }
  return listed;
}

NearCache::NearCache(std::shared_ptr<detail::NearCopy> copy, const Agent& agent)
    : NearMemory(std::move(copy), agent), agent_(agent) {}

NearCache& NearCache::operator=(NearCache&& other) noexcept {
  if (this != &other) {
    close();
    NearMemory::operator=(std::move(other));
    agent_ = std::move(other.agent_);
  }
  return *this;
}

NearCache::~NearCache() { close(); }

void NearCache::close() noexcept {
  if (copy()) {
    copy()->close();
  }
}

NearMemory NearCache::attach(std::string scope_id) const { return {copy(), agent_.attach(std::move(scope_id))}; }

std::optional<v1::Note> NearCache::note(std::string_view note_id) const {
  const auto found = copy()->read([&](const Mirror& mirror) {
    if (!copy()->holds_notes()) {
      return std::optional<Mirror::NotePtr>();
    }
    const auto held = mirror.notes().find(std::string(note_id));
    return std::optional(held == mirror.notes().end() ? nullptr : held->second);
  });
  if (found) {
    return *found ? std::optional(**found) : std::nullopt;
  }
  try {
    return agent_.notes().get(note_id);
  } catch (const RecordNotFound&) {
    return std::nullopt;
  }
}

std::vector<v1::Note> NearCache::notes() const {
  auto held = copy()->read([&](const Mirror& mirror) {
    std::optional<std::vector<Mirror::NotePtr>> all;
    if (copy()->holds_notes()) {
      all.emplace();
      for (const auto& [note_id, note] : mirror.notes()) {
        if (note->user_id() == agent_.user_id()) {
          all->push_back(note);
        }
      }
    }
    return all;
  });
  std::vector<v1::Note> notes;
  if (!held) {
    for (const auto& note : agent_.notes().list()) {
      notes.push_back(note);
    }
    return notes;
  }
  std::ranges::sort(*held, {}, [](const Mirror::NotePtr& note) {
    return std::tuple(note->create_time().seconds(), note->create_time().nanos(), note->note_id());
  });
  for (const auto& note : *held) {
    notes.push_back(*note);
  }
  return notes;
}

std::int64_t NearCache::revision() const { return copy()->revision(); }

std::optional<std::chrono::nanoseconds> NearCache::staleness() const { return copy()->staleness(); }

std::int64_t NearCache::size_bytes() const { return copy()->size_bytes(); }

NearCache Agent::near_cache(const NearCacheOptions& options) const {
  auto copy = std::make_shared<detail::NearCopy>(place(), options);
  copy->open();
  return NearCache(std::move(copy), *this);
}

NearCache Agent::near_cache() const { return near_cache(NearCacheOptions{}); }

}  // namespace memoryd
