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
#include "memoryd/consistency.hpp"
#include "memoryd/entries.hpp"
#include "memoryd/entry.hpp"
#include "memoryd/place.hpp"
#include "memoryd/reservation.hpp"
#include "memoryd/value.hpp"

namespace memoryd {

class Scope;
struct ScopeOptions;

/// A function that returns a new value of type T for an old one.
template <class Change, class T, class Old = T>
concept ChangeOf = std::is_invocable_r_v<T, Change&, Old>;

/// The working memory of an agent or of a scope: entries by key. Reads in a scope fall back to its parents up to the
/// root, unless they are Lookup::local_only. Writes stay in the scope itself. A read has every change that was
/// committed before it, unless it has a Consistency.
///
/// nlohmann::json encodes and decodes values: `agent.set("user", {{"name", "Ada"}})`, `agent.get<int>("visits")`. Your
/// own types need its to_json and from_json.
///
/// Copies share it. All threads may use it at once. Every function that calls the daemon throws the classes of Error:
/// Unavailable or DeadlineExceeded if the daemon cannot be reached, ScopeDisposed after the scope's end. Keys are 1 to
/// 1,024 bytes of UTF-8, not blank, without control characters; others throw InvalidArgument.
class WorkingMemory {
 public:
  /// Returns the id of the agent.
  [[nodiscard]] const std::string& agent_id() const noexcept { return place_.agent_id; }

  /// Returns the id of the scope, empty for the root.
  [[nodiscard]] const std::string& scope_id() const noexcept { return place_.scope_id; }

  /// Returns the id of the user that the agent is bound to, empty for none: see Agent::user().
  [[nodiscard]] const std::string& user_id() const noexcept { return place_.user_id; }

  /// Returns the value, or none if there is no entry.
  /// @throws WrongType if the value is not a T.
  template <class T = nlohmann::json>
  [[nodiscard]] std::optional<T> get(std::string_view key, Lookup lookup = Lookup::with_parents,
                                     const Consistency& consistency = {}) const {
    const auto entry = get_entry(key, lookup, consistency);
    return entry ? std::optional<T>(value_of<T>(*entry)) : std::nullopt;
  }

  /// Returns the whole entry, or none. value_of() decodes its value.
  [[nodiscard]] std::optional<v1::Entry> get_entry(std::string_view key, Lookup lookup = Lookup::with_parents,
                                                   const Consistency& consistency = {}) const;

  /// Returns the values of up to 1,000 keys, all at one revision. Keys without a value are left out.
  /// @throws WrongType if one of them is not a T.
  template <class T = nlohmann::json>
  [[nodiscard]] std::map<std::string, T> get_many(const std::vector<std::string>& keys,
                                                  Lookup lookup = Lookup::with_parents,
                                                  const Consistency& consistency = {}) const {
    std::map<std::string, T> values;
    for (const auto& [key, entry] : get_entries(keys, lookup, consistency)) {
      values.emplace(key, value_of<T>(entry));
    }
    return values;
  }

  /// Returns the entries of up to 1,000 keys, all at one revision. Keys without an entry are left out.
  [[nodiscard]] std::map<std::string, v1::Entry> get_entries(const std::vector<std::string>& keys,
                                                             Lookup lookup = Lookup::with_parents,
                                                             const Consistency& consistency = {}) const;

  /// Returns the own entries of the agent or scope, by default all of them in the order of their keys, page by page.
  [[nodiscard]] Entries entries(const ListOptions& options = {}) const;

  /// Returns whether there is an entry, without reading it.
  [[nodiscard]] bool contains(std::string_view key, Lookup lookup = Lookup::with_parents,
                              const Consistency& consistency = {}) const;

  /// Stores a value, and overwrites the existing one.
  /// @throws UnsupportedValue, TooLarge, QuotaExceeded, and RecordExists, RecordNotFound or RevisionMismatch if the
  /// condition is not met.
  v1::SetEntryResponse set(std::string_view key, const nlohmann::json& value, const EntryOptions& options = {},
                           const Condition& condition = {}) {
    return set_text(key, encode(value), options, condition);
  }

  /// Stores JSON text byte for byte, and overwrites the existing value. get<Json>() returns it.
  v1::SetEntryResponse set(std::string_view key, const std::same_as<Json> auto& value, const EntryOptions& options = {},
                           const Condition& condition = {}) {
    return set_text(key, encode(value), options, condition);
  }

  /// Removes the own entry of the agent or scope, and returns whether there was one. The parent's entry becomes visible
  /// again.
  /// @throws RecordNotFound, RevisionMismatch or RecordExists if the condition is not met.
  bool remove(std::string_view key, const Condition& condition = {});

  /// Removes the own entries of the agent or scope, and returns their number. Scopes below keep theirs.
  /// @throws AgentNotFound, RevisionMismatch or AlreadyExists if the condition on the agent is not met.
  std::int64_t clear(const Condition& condition = {});

  /// Writes a batch atomically, at one revision. An empty batch is not sent, and its revision is 0.
  /// @throws InvalidArgument, TooLarge, QuotaExceeded, and RecordExists, RecordNotFound or RevisionMismatch if a
  /// condition is not met.
  v1::BatchWriteEntriesResponse write(const Batch& batch);

  /// Replaces the own value of the agent or scope by change(value), and returns the new value. No concurrent update is
  /// lost. `change` receives `initial` if there is no value. It runs again if another writer was faster. The entry
  /// keeps its expiry, type, importance, tags, metadata, user and type name, except those that are given or cleared.
  /// @throws WrongType if the value is not a T, RevisionMismatch if other writers were faster 1,000 times in a row, and
  /// the errors of `change`.
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

  /// Replaces the own value as the other update() does. `change` receives none if there is no value.
  template <class T, ChangeOf<T, std::optional<T>> Change>
  T update(std::string_view key, Change change, const EntryOptions& options = {}) {
    std::optional<T> changed;
    update_text(
        key,
        [&](const v1::Entry* entry) {
          changed.emplace(change(entry == nullptr ? std::nullopt : std::optional<T>(value_of<T>(*entry))));
          return encode(*changed);
        },
        options);
    return *std::move(changed);
  }

  /// Returns the value. If there is none, calls `factory`, and stores and returns its value.
  ///
  /// Of all callers in all processes, one runs its factory and the others wait for its value. The lease is renewed
  /// while the factory runs; if its process dies, another caller takes over when the lease expires. An error of the
  /// factory is thrown here, and the next caller takes over at once.
  /// @throws WrongType if an existing value does not have the factory's type, DeadlineExceeded if another caller's
  /// factory still runs after options.wait, Cancelled by options.stop.
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

  /// Creates a scope below this agent or scope. The destructor of the returned object disposes it.
  /// @throws QuotaExceeded, and RecordExists, RecordNotFound or RevisionMismatch if the condition is not met.
  [[nodiscard]] Scope scope(std::string_view name, const ScopeOptions& options);
  [[nodiscard]] Scope scope(std::string_view name);

 protected:
  explicit WorkingMemory(detail::Place place) : place_(std::move(place)) {}

  [[nodiscard]] const detail::Place& place() const noexcept { return place_; }
  [[nodiscard]] const std::shared_ptr<detail::Connection>& connection() const noexcept { return place_.connection; }

 private:
  /// A function that returns the JSON text of the changed value. The entry is null if there is none.
  using TextChange = std::function<std::string(const v1::Entry* entry)>;
  /// A function that makes a value as JSON text.
  using TextFactory = std::function<std::string()>;

  /// The attributes of an existing entry that are not given: replaced by their defaults, or kept.
  enum class Others { replaced, kept };

  v1::SetEntryResponse set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                                const Condition& condition, Others others = Others::replaced);
  void update_text(std::string_view key, const TextChange& change, const EntryOptions& options);
  /// Returns the existing entry, or none if the made value was stored.
  std::optional<v1::Entry> get_or_set_text(std::string_view key, const TextFactory& make,
                                           const GetOrSetOptions& options);

  detail::Place place_;
};

}  // namespace memoryd
