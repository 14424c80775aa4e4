#pragma once

#include <memoryd/v1/entry.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "memoryd/batch.hpp"
#include "memoryd/entries.hpp"
#include "memoryd/entry.hpp"
#include "memoryd/reservation.hpp"
#include "memoryd/value.hpp"

namespace memoryd {

class Scope;
struct ScopeOptions;

namespace detail {
class Connection;
}

/// What makes a new value of type T from an old one.
template <class Change, class T>
concept ChangeOf = std::is_invocable_r_v<T, Change&, T>;

/// The working memory of an agent or of a scope: entries by key. In a scope, reads fall back to its parents up to the
/// root, unless they are Lookup::local_only; writes stay in the scope itself.
///
/// A value is what nlohmann::json makes of it: `agent.set("user", {{"name", "Ada"}})`, `agent.get<int>("visits")`.
/// Types of your own take part by nlohmann's to_json and from_json.
///
/// Copies share it. All threads may use it at once. Every function that asks the daemon throws the classes
/// of Error: Unavailable when it stays away, DeadlineExceeded, ScopeDisposed after the scope's end. Keys are 1 to 1,024
/// bytes of UTF-8, not blank, without control characters; InvalidArgument otherwise.
class WorkingMemory {
 public:
  /// The id of the agent.
  [[nodiscard]] const std::string& agent_id() const noexcept { return agent_id_; }

  /// The id of the scope; empty for the root.
  [[nodiscard]] const std::string& scope_id() const noexcept { return scope_id_; }

  /// The value, or none when there is no entry.
  /// @throws WrongType unless the value is a T.
  template <class T = nlohmann::json>
  [[nodiscard]] std::optional<T> get(std::string_view key, Lookup lookup = Lookup::with_parents) const {
    const auto entry = get_entry(key, lookup);
    return entry ? std::optional<T>(value_of<T>(*entry)) : std::nullopt;
  }

  /// The whole entry, or none. value_of() reads its value.
  [[nodiscard]] std::optional<v1::Entry> get_entry(std::string_view key, Lookup lookup = Lookup::with_parents) const;

  /// The values of up to 1,000 keys, all at one revision; a key that has none is left out.
  /// @throws WrongType unless all of them are of type T.
  template <class T = nlohmann::json>
  [[nodiscard]] std::map<std::string, T> get_many(const std::vector<std::string>& keys,
                                                  Lookup lookup = Lookup::with_parents) const {
    std::map<std::string, T> values;
    for (const auto& [key, entry] : get_entries(keys, lookup)) {
      values.emplace(key, value_of<T>(entry));
    }
    return values;
  }

  /// The entries of up to 1,000 keys, all at one revision; a key that has none is left out.
  [[nodiscard]] std::map<std::string, v1::Entry> get_entries(const std::vector<std::string>& keys,
                                                             Lookup lookup = Lookup::with_parents) const;

  /// The place's own entries that pass the filter, page by page.
  [[nodiscard]] Entries entries(EntryFilter filter = {}) const;

  /// Whether there is an entry, without reading it.
  [[nodiscard]] bool contains(std::string_view key, Lookup lookup = Lookup::with_parents) const;

  /// Stores a value, overwriting what is there.
  /// @throws UnsupportedValue, LimitExceeded, and by its condition EntryExists or RevisionMismatch.
  v1::SetEntryResponse set(std::string_view key, const nlohmann::json& value, const EntryOptions& options = {},
                           const Condition& condition = {}) {
    return set_text(key, encode(value), options, condition);
  }

  /// Stores JSON text byte for byte, overwriting what is there. get<Json>() answers it.
  v1::SetEntryResponse set(std::string_view key, const std::same_as<Json> auto& value, const EntryOptions& options = {},
                           const Condition& condition = {}) {
    return set_text(key, encode(value), options, condition);
  }

  /// Removes the place's own entry, and answers whether there was one. A parent's value shows again.
  /// @throws RevisionMismatch unless the entry has the expected revision, where one is given.
  bool remove(std::string_view key, std::optional<std::int64_t> expected_revision = {});

  /// Removes the place's own entries, and answers how many. Scopes below keep theirs.
  std::int64_t clear();

  /// Carries out a batch: at one revision, all or nothing. An empty one is not sent; its revision is 0.
  /// @throws InvalidArgument, LimitExceeded, and by the operations' conditions EntryExists or RevisionMismatch.
  v1::BatchWriteEntriesResponse write(const Batch& batch);

  /// Replaces the place's own value by change(value), losing nobody's update, and answers the new one. `change` gets
  /// `initial` when there is none; it runs again when another writer was faster.
  /// @throws WrongType when the value is not a T; RevisionMismatch when 1,000 others in a row were faster; what
  /// `change` throws.
  template <class T, ChangeOf<T> Change>
  T update(std::string_view key, T initial, Change change, const EntryOptions& options = {}) {
    std::optional<T> changed;
    update_text(
        key,
        [&](const v1::Entry* entry) {
          changed.emplace(change(entry == nullptr ? initial : value_of<T>(*entry)));
          return encode(*changed);
        },
        options);
    return *std::move(changed);
  }

  /// Answers the value; when there is none, makes it by `factory` and stores it.
  ///
  /// Of all callers in all processes one runs its factory, and the others wait for its value. The lease is renewed
  /// while the factory runs; when its process dies, another caller takes over after the lease. What the factory throws
  /// is thrown here, and the next caller takes over at once.
  /// @throws WrongType when the value that is there is not what the factory would make; DeadlineExceeded when another
  /// caller is still making the value after options.wait; Cancelled by options.stop.
  template <std::invocable Factory>
  std::invoke_result_t<Factory&> get_or_set(std::string_view key, Factory factory,
                                            const GetOrSetOptions& options = {}) {
    using T = std::invoke_result_t<Factory&>;
    std::optional<T> made;
    const auto entry = get_or_set_text(
        key,
        [&] {
          made.emplace(factory());
          return encode(*made);
        },
        options);
    return entry ? value_of<T>(*entry) : *std::move(made);
  }

  /// Creates a scope under this place, which ends with the object that is answered.
  /// @throws ScopeExists as the options say, LimitExceeded.
  [[nodiscard]] Scope scope(std::string_view name, const ScopeOptions& options);
  [[nodiscard]] Scope scope(std::string_view name);

 protected:
  WorkingMemory(std::shared_ptr<detail::Connection> connection, std::string agent_id, std::string scope_id);

  [[nodiscard]] const std::shared_ptr<detail::Connection>& connection() const noexcept { return connection_; }

 private:
  /// Answers the JSON text of the changed value; the entry is null when there is none.
  using TextChange = std::function<std::string(const v1::Entry* entry)>;
  /// Makes a value as JSON text.
  using TextFactory = std::function<std::string()>;

  v1::SetEntryResponse set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                                const Condition& condition);
  void update_text(std::string_view key, const TextChange& change, const EntryOptions& options);
  /// Answers the entry that was found; none when the made value was stored.
  std::optional<v1::Entry> get_or_set_text(std::string_view key, const TextFactory& make,
                                           const GetOrSetOptions& options);

  std::shared_ptr<detail::Connection> connection_;
  std::string agent_id_;
  std::string scope_id_;
};

}  // namespace memoryd
