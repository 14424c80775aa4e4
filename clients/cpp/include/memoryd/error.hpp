#pragma once

#include <chrono>
#include <cstddef>
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

/// Returns gRPC's name of the code, such as "NOT_FOUND".
[[nodiscard]] std::string_view name(StatusCode code) noexcept;

/// The details of an error.
struct Failure {
  std::string message{};
  StatusCode code = StatusCode::ok;
  std::string reason{};
  std::map<std::string, std::string> metadata{};
  std::map<std::string, std::string> fields{};
  std::optional<std::chrono::milliseconds> retry_delay{};
};

/// The base class of the errors that this library throws. what() is for people.
///
/// A failed call throws one of the classes below, depending on the server's reason, else on the status code. A missing
/// entry is not an error.
class Error : public std::runtime_error {
 public:
  explicit Error(Failure failure);

  /// Returns the status of the call, or StatusCode::ok if no call failed, as for WrongType.
  [[nodiscard]] StatusCode code() const noexcept { return failure_->code; }

  /// Returns the name of the memoryd.v1.ErrorReason, such as "ERROR_REASON_SCOPE_DISPOSED". Empty if the server sent
  /// none.
  [[nodiscard]] const std::string& reason() const noexcept { return failure_->reason; }

  /// Returns the details that the reason's comment in error_reason.proto lists.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept { return failure_->metadata; }

  /// Returns what is wrong with each invalid field of the request.
  [[nodiscard]] const std::map<std::string, std::string>& fields() const noexcept { return failure_->fields; }

  /// Returns the time to wait before a retry, as the server requests it, or none if it sent none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry_delay() const noexcept { return failure_->retry_delay; }

  /// Returns the position of the change that was refused, for an error of Transaction::commit(); else none.
  [[nodiscard]] std::optional<std::size_t> write_index() const;

 protected:
  /// Returns the text of this name in the metadata, or an empty one.
  [[nodiscard]] std::string text(const std::string& name) const;

  /// Returns the integer of this name in the metadata, or none.
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& name) const;

 private:
  // Shared, because copying an exception must not throw.
  std::shared_ptr<const Failure> failure_;
};

/// The target, the token, the origin or the TLS files cannot be used.
struct InvalidTarget : Error {
  using Error::Error;
};

/// The records of a near cache take more memory than its NearCacheOptions::max_bytes.
struct CacheFull : Error {
  using Error::Error;
};

/// A near cache that is to refuse such reads may be older than its NearCacheOptions::max_staleness.
struct StaleRead : Error {
  using Error::Error;
};

/// The value cannot be encoded as JSON.
struct UnsupportedValue : Error {
  using Error::Error;
};

/// The value that was read does not have the requested type.
struct WrongType : Error {
  using Error::Error;
};

/// The request is invalid. fields() maps each invalid field to what is wrong with it.
struct InvalidArgument : Error {
  using Error::Error;
};

/// No text can be extracted from the file, as it is or within the server's limits. metadata() contains the "problem".
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

/// Something that the request names does not exist.
struct NotFound : Error {
  using Error::Error;
};

/// There is no such agent: nothing of it was ever stored, or it has ended.
struct AgentNotFound : NotFound {
  using NotFound::NotFound;
};

/// The agent has no such record, such as a note or a scope, or has forgotten the memory.
struct RecordNotFound : NotFound {
  using NotFound::NotFound;

  /// Returns the kind of the record, such as "plan_step".
  [[nodiscard]] std::string kind() const { return text("kind"); }

  /// Returns the id of the record, the key of an entry. Empty if it was requested by another name.
  [[nodiscard]] std::string record_id() const { return text("record_id"); }
};

/// The server has no such operation, or no longer.
struct OperationNotFound : NotFound {
  using NotFound::NotFound;
};

/// There is no such snapshot.
struct SnapshotNotFound : NotFound {
  using NotFound::NotFound;
};

/// Something that must not exist does.
struct AlreadyExists : Error {
  using Error::Error;
};

/// The agent has such a record.
struct RecordExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;

  /// Returns the kind of the record, such as "entry".
  [[nodiscard]] std::string kind() const { return text("kind"); }

  /// Returns the id of the record, the key of an entry.
  [[nodiscard]] std::string record_id() const { return text("record_id"); }

  /// Returns the revision that last changed the record.
  [[nodiscard]] std::optional<std::int64_t> revision() const { return number("revision"); }
};

/// An operation with this id exists, for another request.
struct OperationExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;
};

/// Another snapshot has this id.
struct SnapshotExists : AlreadyExists {
  using AlreadyExists::AlreadyExists;
};

/// The state does not allow the call.
struct FailedPrecondition : Error {
  using Error::Error;
};

/// The server keeps no audit log.
struct AuditOff : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The agent's tier does not have a feature that the call uses. metadata() contains the "feature" and the "tier".
struct FeatureNotInTier : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The resume token is from another store: start a new watch.
struct ForeignResumeToken : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The plan was completed or replaced, and cannot change until it is reopened. metadata() contains its "plan_id".
struct PlanEnded : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// A record or a snapshot was written by a newer version of the server.
struct SchemaTooNew : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// A record or a snapshot was written by an old version whose data the server cannot read.
struct SchemaTooOld : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The scope has ended. metadata() contains its "scope_id" and "scope_name".
struct ScopeDisposed : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The snapshot is of another agent.
struct SnapshotAgentMismatch : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The snapshot is encrypted, and none of the server's keys decrypts it.
struct SnapshotLocked : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The server has no model that summarizes conversations.
struct SummarizerMissing : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// The server does not fetch this URL, or no URL at all. metadata() contains its "host", if there is one.
struct UrlNotAllowed : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// This client and the server do not work together: upgrade the older one. metadata() contains the "client_version" and
/// the "server_version".
struct VersionUnsupported : FailedPrecondition {
  using FailedPrecondition::FailedPrecondition;
};

/// A concurrent change came first.
struct Aborted : Error {
  using Error::Error;
};

/// The lease of fragments has expired, or was never granted.
struct LeaseLost : Aborted {
  using Aborted::Aborted;
};

/// The reservation has expired, or was never granted.
struct ReservationLost : Aborted {
  using Aborted::Aborted;
};

/// The expected revision is not the actual one: read, decide and write again.
struct RevisionMismatch : Aborted {
  using Aborted::Aborted;

  /// Returns the revision that the caller expected.
  [[nodiscard]] std::optional<std::int64_t> expected_revision() const { return number("expected_revision"); }

  /// Returns the actual revision, 0 if there is no entry.
  [[nodiscard]] std::optional<std::int64_t> actual_revision() const { return number("actual_revision"); }
};

/// The request is for something outside the range that the server retains.
struct OutOfRange : Error {
  using Error::Error;
};

/// The memories of the requested time are no longer retained.
struct HistoryCompacted : OutOfRange {
  using OutOfRange::OutOfRange;

  /// Returns the oldest time that is retained.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> oldest_time() const;
};

/// The listing's revision is no longer retained: start the listing again.
struct PageTokenExpired : OutOfRange {
  using OutOfRange::OutOfRange;
};

/// The journal no longer retains the requested events: start a new watch.
struct RevisionCompacted : OutOfRange {
  using OutOfRange::OutOfRange;

  /// Returns the oldest revision that is retained, if the request was for one agent.
  [[nodiscard]] std::optional<std::int64_t> oldest_revision() const { return number("oldest_revision"); }
};

/// The agent has not reached the revision yet.
struct RevisionInFuture : OutOfRange {
  using OutOfRange::OutOfRange;
};

/// A limit or the storage of the daemon is exhausted.
struct ResourceExhausted : Error {
  using Error::Error;
};

/// The server has too many calls in progress, and did not begin this one: try again after retry_delay().
struct Overloaded : ResourceExhausted {
  using ResourceExhausted::ResourceExhausted;

  /// Returns the limit's name, such as "concurrent_calls".
  [[nodiscard]] std::string limit() const { return text("limit"); }

  /// Returns the maximum that the limit allows.
  [[nodiscard]] std::optional<std::int64_t> value() const { return number("value"); }
};

/// A limit of what the server stores would be exceeded.
struct QuotaExceeded : ResourceExhausted {
  using ResourceExhausted::ResourceExhausted;

  /// Returns the limit's name, such as "entries_per_agent".
  [[nodiscard]] std::string limit() const { return text("limit"); }

  /// Returns the maximum that the limit allows.
  [[nodiscard]] std::optional<std::int64_t> value() const { return number("value"); }
};

/// The request is larger than a limit of the server allows.
struct TooLarge : ResourceExhausted {
  using ResourceExhausted::ResourceExhausted;

  /// Returns the limit's name, such as "entry_bytes".
  [[nodiscard]] std::string limit() const { return text("limit"); }

  /// Returns the maximum that the limit allows.
  [[nodiscard]] std::optional<std::int64_t> value() const { return number("value"); }
};

/// The server's disk or store is full. Reads and watches continue to work.
struct StorageFull : ResourceExhausted {
  using ResourceExhausted::ResourceExhausted;
};

/// The server cannot be reached, or does not accept calls now.
struct Unavailable : Error {
  using Error::Error;
};

/// The server is shutting down.
struct Draining : Unavailable {
  using Unavailable::Unavailable;
};

/// The server's store does not respond.
struct StoreUnavailable : Unavailable {
  using Unavailable::Unavailable;
};

/// The model that proposes memories does not respond.
struct ProposerUnavailable : Unavailable {
  using Unavailable::Unavailable;
};

/// The model that summarizes conversations does not respond.
struct SummarizerUnavailable : Unavailable {
  using Unavailable::Unavailable;
};

/// The server cannot fetch the document at present.
struct UrlUnreachable : Unavailable {
  using Unavailable::Unavailable;
};

/// Data is damaged or lost.
struct DataLoss : Error {
  using Error::Error;
};

/// The store's data is damaged. None of it is served.
struct DataDamaged : DataLoss {
  using DataLoss::DataLoss;
};

/// The server's store has lost acknowledged commits, as after a failover or a restore.
struct HistoryLost : DataLoss {
  using DataLoss::DataLoss;

  /// Returns the revision that was acknowledged.
  [[nodiscard]] std::optional<std::int64_t> known_revision() const { return number("known_revision"); }

  /// Returns the actual revision.
  [[nodiscard]] std::optional<std::int64_t> actual_revision() const { return number("actual_revision"); }
};

/// The snapshot's file is damaged. Nothing was changed.
struct SnapshotDamaged : DataLoss {
  using DataLoss::DataLoss;
};

/// The call was cancelled, such as by its stop token.
struct Cancelled : Error {
  using Error::Error;
};

/// The call took longer than its timeout. A change may or may not have been applied.
struct DeadlineExceeded : Error {
  using Error::Error;
};

/// The server has a defect, which its log describes, or sent a status that this library does not know.
struct InternalError : Error {
  using Error::Error;
};

/// The caller may not access this agent.
struct PermissionDenied : Error {
  using Error::Error;
};

/// The caller sent no token or certificate, or one that the server does not know.
struct Unauthenticated : Error {
  using Error::Error;
};

/// The server has no such method: it is older than this library.
struct Unimplemented : Error {
  using Error::Error;
};

}  // namespace memoryd
