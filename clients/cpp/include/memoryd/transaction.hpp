#pragma once

#include <memoryd/v1/transaction_service.pb.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "memoryd/entry.hpp"
#include "memoryd/scope.hpp"
#include "memoryd/value.hpp"

namespace memoryd {

class Committed;

namespace detail {
struct Collected;
}

/// The options of Agent::transaction().
struct TransactionOptions {
  /// The condition on the agent, whose revision is that of its last change. Default: none.
  Condition condition{};
  /// At most 128 bytes, such as one that a restarted process finds again. Default: a new one.
  std::string request_id{};
};

/// A change of a transaction. Committed::get() returns its result.
template <class T>
class Written {
 public:
  /// Returns the position of the change in its transaction, from 0: see Error::write_index().
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 private:
  friend class Committed;
  friend class Transaction;
  friend class TransactionWrites;

  using Read = std::function<T(const v1::WriteResult& result)>;

  Written(std::shared_ptr<const detail::Collected> transaction, std::size_t index, Read read)
      : transaction_(std::move(transaction)), index_(index), read_(std::move(read)) {}

  std::shared_ptr<const detail::Collected> transaction_;
  std::size_t index_;
  Read read_;
};

/// The changes of an agent's root scope or of another scope, in a transaction.
class TransactionWrites {
 public:
  /// Stores a value, as WorkingMemory::set() does. The condition is about the own entry.
  /// @throws UnsupportedValue at once, if JSON cannot represent the value.
  Written<v1::SetEntryResponse> set(std::string_view key, const nlohmann::json& value, const EntryOptions& options = {},
                                    const Condition& condition = {}) {
    return set_text(key, encode(value), options, condition);
  }

  /// Stores JSON text byte for byte.
  Written<v1::SetEntryResponse> set(std::string_view key, const std::same_as<Json> auto& value,
                                    const EntryOptions& options = {}, const Condition& condition = {}) {
    return set_text(key, encode(value), options, condition);
  }

  /// Stores a value if there is none, here or, unless it is Lookup::local_only, in a parent, and returns whether it
  /// did.
  /// @throws UnsupportedValue at once, if JSON cannot represent the value.
  Written<bool> get_or_set(std::string_view key, const nlohmann::json& value, const EntryOptions& options = {},
                           Lookup lookup = Lookup::with_parents) {
    return get_or_set_text(key, encode(value), options, lookup);
  }

  /// Stores JSON text byte for byte as the other get_or_set() does.
  Written<bool> get_or_set(std::string_view key, const std::same_as<Json> auto& value, const EntryOptions& options = {},
                           Lookup lookup = Lookup::with_parents) {
    return get_or_set_text(key, encode(value), options, lookup);
  }

  /// Removes the own entry, and returns whether there was one. The condition is about it.
  Written<bool> remove(std::string_view key, const Condition& condition = {});

  /// Removes the own entries, and returns their number. Scopes below keep theirs.
  Written<std::int64_t> clear();

  /// Creates a scope below this one. Its id is known after the commit; Agent::attach() returns it. It has no object
  /// that would dispose it. The condition is about the active scope of this name under the same parent. The scope is
  /// about the bound user, or else none, unless a user or an empty id is given.
  Written<v1::Scope> create_scope(std::string_view name, const std::optional<std::string>& user_id = {},
                                  const Condition& condition = {});

 protected:
  TransactionWrites(std::shared_ptr<detail::Collected> collected, std::string scope_id)
      : collected_(std::move(collected)), scope_id_(std::move(scope_id)) {}

  [[nodiscard]] const std::shared_ptr<detail::Collected>& collected() const noexcept { return collected_; }
  [[nodiscard]] const std::string& scope_id() const noexcept { return scope_id_; }

  /// Adds a write, whose result `read` converts.
  template <class T>
  Written<T> add(v1::Write write, typename Written<T>::Read read) {
    return Written<T>(collected_, append(std::move(write)), std::move(read));
  }

 private:
  std::size_t append(v1::Write write);
  Written<v1::SetEntryResponse> set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                                         const Condition& condition);
  Written<bool> get_or_set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                                Lookup lookup);

  std::shared_ptr<detail::Collected> collected_;
  std::string scope_id_;
};

/// The changes of one scope in a transaction.
class TransactionScope : public TransactionWrites {
 public:
  /// Copies the own entries to the parent, disposes the scope, and returns the number of entries copied.
  Written<std::int64_t> merge(Conflict conflict = Conflict::overwrite);

  /// Copies the own entries as merge() does, but keeps the scope.
  Written<std::int64_t> merge_and_keep(Conflict conflict = Conflict::overwrite);

  /// Disposes the scope and those below it with all their entries, and returns the number of entries. A scope that
  /// ended long ago refuses the transaction with RecordNotFound.
  Written<std::int64_t> dispose();

 private:
  friend class Transaction;

  TransactionScope(std::shared_ptr<detail::Collected> collected, std::string scope_id)
      : TransactionWrites(std::move(collected), std::move(scope_id)) {}

  Written<std::int64_t> copy(Conflict conflict, bool dispose);
};

/// Up to 1,000 changes of one agent, of all kinds of records, that are made together or not at all, at one revision:
///
///     memoryd::Transaction tx = agent.transaction();
///     const auto stored = tx.set("status", "moved");
///     memoryd::v1::Write note;
///     note.mutable_create_note()->mutable_draft()->set_title("Ada");
///     const auto noted = tx.write(note);
///     const auto done = tx.commit();
///     done.get(noted).create_note().note().note_id();
///
/// Each change finds what the earlier ones left, and returns a handle, with which the result is read after the commit.
/// A transaction has one owner; it is not for several threads at once.
class Transaction : public TransactionWrites {
 public:
  Transaction(Transaction&&) noexcept = default;
  Transaction& operator=(Transaction&&) noexcept = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() = default;

  /// Returns the changes of an existing scope.
  [[nodiscard]] TransactionScope attach(std::string scope_id) const;

  /// Makes any change that can be part of a transaction: v1::Write lists them. Its agent may be left empty. Its request
  /// id and its condition on the agent must be: they are those of the transaction.
  Written<v1::WriteResult> write(v1::Write write);

  /// Returns the number of changes.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// Makes the changes, all of them or none. Without changes nothing is sent, and the revision is 0.
  ///
  /// After an error that leaves the outcome open, such as DeadlineExceeded, the same transaction may be committed
  /// again: its request id stays the same, so that its changes are made at most once.
  /// @throws the error of the first change that is refused, with its Error::write_index(); AgentNotFound,
  /// RevisionMismatch or AlreadyExists without one if the condition is not met.
  [[nodiscard("it has the results")]] Committed commit() const;

 private:
  friend class Agent;

  explicit Transaction(std::shared_ptr<detail::Collected> collected);
};

/// The results of a transaction.
class Committed {
 public:
  /// Returns the agent's revision after the commit; 0 if there was nothing to commit.
  [[nodiscard]] std::int64_t revision() const noexcept { return response_.revision(); }

  /// Returns the result of a change. Its records have no content, which the caller has given.
  /// @throws std::invalid_argument for a change of another transaction, or one that was added after the commit.
  template <class T>
  [[nodiscard]] T get(const Written<T>& written) const {
    if (written.transaction_ != transaction_ || written.index_ >= static_cast<std::size_t>(response_.results_size())) {
      throw std::invalid_argument("the change is not of this commit");
    }
    return written.read_(response_.results(static_cast<int>(written.index_)));
  }

 private:
  friend class Transaction;

  Committed(std::shared_ptr<const detail::Collected> transaction, v1::CommitResponse response)
      : transaction_(std::move(transaction)), response_(std::move(response)) {}

  std::shared_ptr<const detail::Collected> transaction_;
  v1::CommitResponse response_;
};

}  // namespace memoryd
