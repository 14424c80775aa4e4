#include "status.hpp"

#include <google/protobuf/util/time_util.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include <exception>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "memoryd/call.hpp"

namespace memoryd {
namespace detail {
namespace {

using google::protobuf::util::TimeUtil;
using Throw = void (*)(Failure);

constexpr std::string_view kDomain = "memoryd";

template <class Kind>
[[noreturn]] void throw_as(Failure failure) {
  throw Kind(std::move(failure));
}

const std::unordered_map<std::string_view, Throw>& by_reason() {
  static const std::unordered_map<std::string_view, Throw> table = {
      {"ERROR_REASON_INVALID_FIELD", throw_as<InvalidArgument>},
      {"ERROR_REASON_REQUEST_ID_REUSED", throw_as<RequestIdReused>},
      {"ERROR_REASON_INVALID_PAGE_TOKEN", throw_as<InvalidPageToken>},
      {"ERROR_REASON_INVALID_RESUME_TOKEN", throw_as<InvalidResumeToken>},
      {"ERROR_REASON_MALFORMED_MESSAGE", throw_as<InvalidArgument>},
      {"ERROR_REASON_DOCUMENT_UNREADABLE", throw_as<DocumentUnreadable>},
      {"ERROR_REASON_TOO_LARGE", throw_as<TooLarge>},
      {"ERROR_REASON_AGENT_NOT_FOUND", throw_as<AgentNotFound>},
      {"ERROR_REASON_SNAPSHOT_NOT_FOUND", throw_as<SnapshotNotFound>},
      {"ERROR_REASON_OPERATION_NOT_FOUND", throw_as<OperationNotFound>},
      {"ERROR_REASON_RECORD_NOT_FOUND", throw_as<RecordNotFound>},
      {"ERROR_REASON_SNAPSHOT_EXISTS", throw_as<SnapshotExists>},
      {"ERROR_REASON_OPERATION_EXISTS", throw_as<OperationExists>},
      {"ERROR_REASON_RECORD_EXISTS", throw_as<RecordExists>},
      {"ERROR_REASON_SCOPE_DISPOSED", throw_as<ScopeDisposed>},
      {"ERROR_REASON_FOREIGN_RESUME_TOKEN", throw_as<ForeignResumeToken>},
      {"ERROR_REASON_SNAPSHOT_AGENT_MISMATCH", throw_as<SnapshotAgentMismatch>},
      {"ERROR_REASON_SNAPSHOT_LOCKED", throw_as<SnapshotLocked>},
      {"ERROR_REASON_SCHEMA_TOO_NEW", throw_as<SchemaTooNew>},
      {"ERROR_REASON_SCHEMA_TOO_OLD", throw_as<SchemaTooOld>},
      {"ERROR_REASON_PLAN_ENDED", throw_as<PlanEnded>},
      {"ERROR_REASON_URL_NOT_ALLOWED", throw_as<UrlNotAllowed>},
      {"ERROR_REASON_REQUEST_STALLED", throw_as<DeadlineExceeded>},
      {"ERROR_REASON_SUMMARIZER_MISSING", throw_as<SummarizerMissing>},
      {"ERROR_REASON_AUDIT_OFF", throw_as<AuditOff>},
      {"ERROR_REASON_VERSION_UNSUPPORTED", throw_as<VersionUnsupported>},
      {"ERROR_REASON_FEATURE_NOT_IN_TIER", throw_as<FeatureNotInTier>},
      {"ERROR_REASON_REVISION_MISMATCH", throw_as<RevisionMismatch>},
      {"ERROR_REASON_RESERVATION_LOST", throw_as<ReservationLost>},
      {"ERROR_REASON_LEASE_LOST", throw_as<LeaseLost>},
      {"ERROR_REASON_REVISION_COMPACTED", throw_as<RevisionCompacted>},
      {"ERROR_REASON_REVISION_IN_FUTURE", throw_as<RevisionInFuture>},
      {"ERROR_REASON_PAGE_TOKEN_EXPIRED", throw_as<PageTokenExpired>},
      {"ERROR_REASON_HISTORY_COMPACTED", throw_as<HistoryCompacted>},
      {"ERROR_REASON_QUOTA_EXCEEDED", throw_as<QuotaExceeded>},
      {"ERROR_REASON_OVERLOADED", throw_as<Overloaded>},
      {"ERROR_REASON_STORAGE_FULL", throw_as<StorageFull>},
      {"ERROR_REASON_UNAUTHENTICATED", throw_as<Unauthenticated>},
      {"ERROR_REASON_AGENT_FORBIDDEN", throw_as<PermissionDenied>},
      {"ERROR_REASON_VERB_FORBIDDEN", throw_as<PermissionDenied>},
      {"ERROR_REASON_STORE_UNAVAILABLE", throw_as<StoreUnavailable>},
      {"ERROR_REASON_DRAINING", throw_as<Draining>},
      {"ERROR_REASON_SUMMARIZER_UNAVAILABLE", throw_as<SummarizerUnavailable>},
      {"ERROR_REASON_URL_UNREACHABLE", throw_as<UrlUnreachable>},
      {"ERROR_REASON_PROPOSER_UNAVAILABLE", throw_as<ProposerUnavailable>},
      {"ERROR_REASON_DATA_DAMAGED", throw_as<DataDamaged>},
      {"ERROR_REASON_SNAPSHOT_DAMAGED", throw_as<SnapshotDamaged>},
      {"ERROR_REASON_HISTORY_LOST", throw_as<HistoryLost>},
      {"ERROR_REASON_INTERNAL", throw_as<InternalError>},
      {"ERROR_REASON_METHOD_UNKNOWN", throw_as<Unimplemented>},
  };
  return table;
}

Throw by_code(StatusCode code) {
  switch (code) {
    case StatusCode::cancelled:
      return throw_as<Cancelled>;
    case StatusCode::invalid_argument:
      return throw_as<InvalidArgument>;
    case StatusCode::deadline_exceeded:
      return throw_as<DeadlineExceeded>;
    case StatusCode::not_found:
      return throw_as<NotFound>;
    case StatusCode::already_exists:
      return throw_as<AlreadyExists>;
    case StatusCode::permission_denied:
      return throw_as<PermissionDenied>;
    case StatusCode::resource_exhausted:
      return throw_as<ResourceExhausted>;
    case StatusCode::failed_precondition:
      return throw_as<FailedPrecondition>;
    case StatusCode::aborted:
      return throw_as<Aborted>;
    case StatusCode::out_of_range:
      return throw_as<OutOfRange>;
    case StatusCode::unimplemented:
      return throw_as<Unimplemented>;
    case StatusCode::internal:
    case StatusCode::unknown:
      return throw_as<InternalError>;
    case StatusCode::unavailable:
      return throw_as<Unavailable>;
    case StatusCode::data_loss:
      return throw_as<DataLoss>;
    case StatusCode::unauthenticated:
      return throw_as<Unauthenticated>;
    case StatusCode::ok:
      break;
  }
  return throw_as<Error>;
}

void read_detail(const google::protobuf::Any& detail, Failure& failure) {
  google::rpc::ErrorInfo info;
  google::rpc::BadRequest bad_request;
  google::rpc::RetryInfo retry;
  if (detail.UnpackTo(&info) && info.domain() == kDomain) {
    failure.reason = info.reason();
    failure.metadata = {info.metadata().begin(), info.metadata().end()};
  } else if (detail.UnpackTo(&bad_request)) {
    for (const auto& violation : bad_request.field_violations()) {
      failure.fields.emplace(violation.field(), violation.description());
    }
  } else if (detail.UnpackTo(&retry)) {
    failure.retry_delay = std::chrono::milliseconds(TimeUtil::DurationToMilliseconds(retry.retry_delay()));
  }
}

}  // namespace

Failure failure_of(const grpc::Status& status) {
  Failure failure{.message = status.error_message(), .code = static_cast<StatusCode>(status.error_code())};
  if (failure.message.empty()) {
    failure.message = name(failure.code);
  }
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& detail : details.details()) {
      read_detail(detail, failure);
    }
  }
  return failure;
}

void throw_failure(Failure failure) {
  const auto found = by_reason().find(failure.reason);
  const auto throw_it = found == by_reason().end() ? by_code(failure.code) : found->second;
  throw_it(std::move(failure));
  std::terminate();  // every entry of both tables throws
}

}  // namespace detail

void check(const grpc::Status& status) {
  if (!status.ok()) {
    detail::throw_failure(detail::failure_of(status));
  }
}

}  // namespace memoryd
