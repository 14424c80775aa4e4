#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memoryd {

/// The status of a call, with gRPC's numbers.
enum class StatusCode {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

/// The code's name as gRPC writes it, such as "NOT_FOUND".
[[nodiscard]] std::string_view name(StatusCode code) noexcept;

/// What is known about something that failed.
struct Failure {
  std::string message{};
  StatusCode code = StatusCode::ok;
  std::string reason{};
  std::map<std::string, std::string> metadata{};
  std::map<std::string, std::string> fields{};
  std::optional<std::chrono::milliseconds> retry_delay{};
};

/// Whatever this library throws on purpose; what() is for people.
///
/// A call that failed throws one of the classes below, told apart by the server's reason, else by the status code:
/// catch the class that you can do something about, or Error for all. A missing entry is an answer, never an error.
class Error : public std::runtime_error {
 public:
  explicit Error(Failure failure);

  /// The status of the call; StatusCode::ok when no call failed, as in WrongType.
  [[nodiscard]] StatusCode code() const noexcept { return failure_->code; }

  /// The name of the call's memoryd.v1.ErrorReason, such as "ERROR_REASON_SCOPE_DISPOSED"; empty when there was none.
  [[nodiscard]] const std::string& reason() const noexcept { return failure_->reason; }

  /// The particulars that the reason's comment in error_reason.proto lists.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept { return failure_->metadata; }

  /// For each field of the request that is not allowed, what is wrong with it.
  [[nodiscard]] const std::map<std::string, std::string>& fields() const noexcept { return failure_->fields; }

  /// After how long the server wants to be asked again, when it said so.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry_delay() const noexcept { return failure_->retry_delay; }

 protected:
  /// The integer in the metadata under this name, if there is one.
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& name) const;

 private:
  // Shared, so that copying an exception cannot throw.
  std::shared_ptr<const Failure> failure_;
};

/// The target, the token, the origin or the files for TLS cannot be used.
struct InvalidTarget : Error {
  using Error::Error;
};

/// The value cannot be written as JSON.
struct UnsupportedValue : Error {
  using Error::Error;
};

/// The value that was read is not of the type that was asked for.
struct WrongType : Error {
  using Error::Error;
};

/// The request is not allowed; fields() tells what is wrong.
struct InvalidArgument : Error {
  using Error::Error;
};

/// No text can be extracted from the file, as it is or within the server's limits; metadata() has the "problem".
struct DocumentUnreadable : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// The page token is damaged or of another listing.
struct InvalidPageToken : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// The resume token is damaged.
struct InvalidResumeToken : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// The request id belongs to another change.
struct RequestIdReused : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// A named thing is not there.
struct NotFound : Error {
  using Error::Error;
};

/// There is no such agent: none of its memory was ever set, or it has ended.
struct AgentNotFound : NotFound {
  using NotFound::NotFound;
};

/// The agent has no such memory, or has forgotten it.
struct MemoryNotFound : NotFound {
  using NotFound::NotFound;
};

/// The agent has no such record of a kind: no such note, for example.
struct RecordNotFound : NotFound {
  using NotFound::NotFound;
};

/// The agent has no such scope.
struct ScopeNotFound : NotFound {
  using NotFound::NotFound;
};

/// There is no such snapshot.
struct SnapshotNotFound : NotFound {
  using NotFound::NotFound;
};

/// The thing that must not be there is there.
struct AlreadyExists : Error {
  using Error::Error;
};

/// The key has an entry.
struct EntryExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;

  /// The revision that last wrote the entry.
  [[nodiscard]] std::optional<std::int64_t> revision() const { return number("revision"); }
};

/// The memory's id is taken.
struct MemoryExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;
};

/// The id is taken by another record of the kind.
struct RecordExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;
};

/// A scope of this name is there.
struct ScopeExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;
};

/// The snapshot's id is taken.
struct SnapshotExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;
};

/// The state does not allow the call.
struct FailedPrecondition : Error {
  using Error::Error;
};

/// The resume token is of another store: begin the watch anew.
struct ForeignResumeToken : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The plan was completed or replaced, and does not change any more; metadata() has its "plan_id".
struct PlanEnded : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// A record or a snapshot was written by a newer version of the server.
struct SchemaTooNew : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// A record or a snapshot was written by a version whose data the server does not read.
struct SchemaTooOld : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The scope has ended; metadata() has its "scope_id" and "scope_name".
struct ScopeDisposed : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The snapshot is of another agent.
struct SnapshotAgentMismatch : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The snapshot is encrypted, and no key of the server opens it.
struct SnapshotLocked : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The server has no model to sum conversations up.
struct SummarizerMissing : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The server does not fetch this URL, or none at all; metadata() has its "host", when there is one.
struct UrlNotAllowed : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// Somebody else was faster.
struct Aborted : Error {
  using Error::Error;
};

/// The lease of fragments is over, or was never given.
struct LeaseLost : Aborted {
  using Aborted::Aborted;
};

/// The reservation is over, or was never given.
struct ReservationLost : Aborted {
  using Aborted::Aborted;
};

/// The expected revision does not hold: read again, decide again, write again.
struct RevisionMismatch : Aborted {
  using Aborted::Aborted;

  /// The revision that the caller expected.
  [[nodiscard]] std::optional<std::int64_t> expected_revision() const { return number("expected_revision"); }

  /// The revision that is there; 0 when nothing is.
  [[nodiscard]] std::optional<std::int64_t> actual_revision() const { return number("actual_revision"); }
};

/// What was asked for lies outside of what the server keeps.
struct OutOfRange : Error {
  using Error::Error;
};

/// What memories were at that time is not known any more.
struct HistoryCompacted : OutOfRange {
  using OutOfRange::OutOfRange;

  /// Since when it is known.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> oldest_time() const;
};

/// The listing's revision is no longer kept: list again.
struct PageTokenExpired : OutOfRange {
  using OutOfRange::OutOfRange;
};

/// The journal no longer retains the events that were asked for: begin the watch anew.
struct RevisionCompacted : OutOfRange {
  using OutOfRange::OutOfRange;

  /// The oldest revision that is retained, when one agent was asked for.
  [[nodiscard]] std::optional<std::int64_t> oldest_revision() const { return number("oldest_revision"); }
};

/// The revision is not reached yet.
struct RevisionInFuture : OutOfRange {
  using OutOfRange::OutOfRange;
};

/// There is no room for it.
struct ResourceExhausted : Error {
  using Error::Error;
};

/// A limit of the server would be exceeded.
struct LimitExceeded : ResourceExhausted {
  using ResourceExhausted::ResourceExhausted;

  /// The limit's name, such as "entries_per_agent".
  [[nodiscard]] std::string limit() const;

  /// The most that the limit allows.
  [[nodiscard]] std::optional<std::int64_t> value() const { return number("value"); }
};

/// The server's disk or store has no room. Reads and watches go on.
struct StorageFull : ResourceExhausted {
  using ResourceExhausted::ResourceExhausted;
};

/// The server cannot be reached, or does not take calls now.
struct Unavailable : Error {
  using Error::Error;
};

/// The server is about to stop.
struct Draining : Unavailable {
  using Unavailable::Unavailable;
};

/// The server's store does not answer.
struct StoreUnavailable : Unavailable {
  using Unavailable::Unavailable;
};

/// The model that sums conversations up does not answer.
struct SummarizerUnavailable : Unavailable {
  using Unavailable::Unavailable;
};

/// Data is damaged.
struct DataLoss : Error {
  using Error::Error;
};

/// The store's data is damaged; nothing is served from it.
struct DataDamaged : DataLoss {
  using DataLoss::DataLoss;
};

/// The server's store went back in time: commits that were acknowledged are gone.
struct HistoryLost : DataLoss {
  using DataLoss::DataLoss;

  /// The revision that was acknowledged.
  [[nodiscard]] std::optional<std::int64_t> known_revision() const { return number("known_revision"); }

  /// The revision that is there.
  [[nodiscard]] std::optional<std::int64_t> actual_revision() const { return number("actual_revision"); }
};

/// The snapshot's file is damaged; nothing was changed.
struct SnapshotDamaged : DataLoss {
  using DataLoss::DataLoss;
};

/// The call was cancelled, such as by its stop token.
struct Cancelled : Error {
  using Error::Error;
};

/// The call took longer than its timeout. A change may have happened or not.
struct DeadlineExceeded : Error {
  using Error::Error;
};

/// The server has a defect, told in its log; or the answer was none that this library knows.
struct InternalError : Error {
  using Error::Error;
};

/// The caller may not touch this agent.
struct PermissionDenied : Error {
  using Error::Error;
};

/// The caller gave no token or certificate, or one that the server does not know.
struct Unauthenticated : Error {
  using Error::Error;
};

/// The server has no such method: it is older than this library.
struct Unimplemented : Error {
  using Error::Error;
};

}  // namespace memoryd
