#pragma once

#include <memoryd/v1/note.pb.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memoryd/mirrored_entry.hpp"
#include "memoryd/watch.hpp"

namespace memoryd::detail {

/// Returns the nanoseconds since the epoch.
using WallClock = std::function<std::int64_t()>;

[[nodiscard]] std::int64_t wall_clock();

/// A copy of an agent's entries, scopes and notes at a revision, built from nothing but a watch with its initial state.
/// Commits are applied whole, in order.
class Mirror {
 public:
  using NotePtr = std::shared_ptr<const v1::Note>;

  explicit Mirror(std::int64_t bytes_max, WallClock clock = wall_clock);

  /// Applies a message. The events of a commit that continues in the next message wait for it, also across connections.
  /// Throws CacheFull if the records take more memory than they may.
  void apply(WatchMessage message);

  /// Returns what a look-up in a scope finds, which may be null, or none if the mirror does not have the scope.
  [[nodiscard]] std::optional<MirroredEntryPtr> find(std::string_view scope_id, std::string_view key,
                                                     Lookup lookup) const;

  /// Returns the entries of a scope whose keys start with a prefix, in any order, with those that the scope inherits if
  /// wanted, or none if the mirror does not have the scope.
  [[nodiscard]] std::optional<std::vector<MirroredEntryPtr>> entries(std::string_view scope_id,
                                                                     std::string_view key_prefix, bool inherited) const;

  [[nodiscard]] const std::map<std::string, NotePtr>& notes() const noexcept { return notes_; }
  [[nodiscard]] std::int64_t revision() const noexcept { return revision_; }
  /// Returns the number of ends of the agent.
  [[nodiscard]] int lives() const noexcept { return lives_; }
  /// Returns true if a record says so: where none is selected, the agent may exist nonetheless.
  [[nodiscard]] bool exists() const noexcept { return exists_; }
  /// Returns whether the last commit has ended the agent.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_bytes_; }

  /// Takes note that it replaces a mirror, so that its lives are later ones.
  void succeed(const Mirror& former) noexcept { lives_ += former.lives_ + 1; }

 private:
  /// Finds texts by views of them.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  template <class Value>
  using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
  using Own = ByText<MirroredEntryPtr>;
  /// Where a look-up in a scope reads: its own entries, those of its ancestors, and the root's at last. A scope shares
  /// its entries with those below it.
  using Path = std::vector<std::shared_ptr<Own>>;

  [[nodiscard]] bool is_alive(const MirroredEntry& entry) const;
  void empty();
  void change(v1::Event& event);
  void change_scope(v1::EventType type, const v1::ScopeEvent& scope);
  void change_entry(v1::EntryEvent& event);
  void set_note(const std::string& note_id, NotePtr note);
  void clear_entries(const std::string& scope_id);

  std::int64_t revision_ = 0;
  int lives_ = 0;
  bool exists_ = false;
  bool has_ended_ = false;
  bool is_complete_ = false;
  std::int64_t size_bytes_ = 0;
  std::map<std::string, NotePtr> notes_;
  ByText<Path> paths_;
  std::int64_t bytes_max_;
  WallClock clock_;
  std::vector<v1::Event> unfinished_;
};

}  // namespace memoryd::detail
