//! The conversion of reasons and status codes to errors.

use std::error::Error as _;
use std::sync::Arc;
use std::{error, iter};

use tonic::{Code, Status, TimeoutExpired};
use tonic_types::StatusExt as _;

use crate::error::{Error, ErrorKind, Failure};
use crate::v1::ErrorReason;

const DOMAIN: &str = "memoryd";

/// Returns the kind of a reason, or `None` if the reason is unknown or unspecified.
fn kind_by_reason(reason: &str) -> Option<ErrorKind> {
    Some(match ErrorReason::from_str_name(reason)? {
        ErrorReason::Unspecified => return None,
        ErrorReason::InvalidField | ErrorReason::MalformedMessage => ErrorKind::InvalidArgument,
        ErrorReason::RequestIdReused => ErrorKind::RequestIdReused,
        ErrorReason::InvalidPageToken => ErrorKind::InvalidPageToken,
        ErrorReason::InvalidResumeToken => ErrorKind::InvalidResumeToken,
        ErrorReason::DocumentUnreadable => ErrorKind::DocumentUnreadable,
        ErrorReason::TooLarge => ErrorKind::TooLarge,
        ErrorReason::AgentNotFound => ErrorKind::AgentNotFound,
        ErrorReason::SnapshotNotFound => ErrorKind::SnapshotNotFound,
        ErrorReason::OperationNotFound => ErrorKind::OperationNotFound,
        ErrorReason::RecordNotFound => ErrorKind::RecordNotFound,
        ErrorReason::SnapshotExists => ErrorKind::SnapshotExists,
        ErrorReason::OperationExists => ErrorKind::OperationExists,
        ErrorReason::RecordExists => ErrorKind::RecordExists,
        ErrorReason::ScopeDisposed => ErrorKind::ScopeDisposed,
        ErrorReason::ForeignResumeToken => ErrorKind::ForeignResumeToken,
        ErrorReason::SnapshotAgentMismatch => ErrorKind::SnapshotAgentMismatch,
        ErrorReason::SnapshotLocked => ErrorKind::SnapshotLocked,
        ErrorReason::SchemaTooNew => ErrorKind::SchemaTooNew,
        ErrorReason::SchemaTooOld => ErrorKind::SchemaTooOld,
        ErrorReason::PlanEnded => ErrorKind::PlanEnded,
        ErrorReason::UrlNotAllowed => ErrorKind::UrlNotAllowed,
        ErrorReason::RequestStalled => ErrorKind::DeadlineExceeded,
        ErrorReason::SummarizerMissing => ErrorKind::SummarizerMissing,
        ErrorReason::AuditOff => ErrorKind::AuditOff,
        ErrorReason::VersionUnsupported => ErrorKind::VersionUnsupported,
        ErrorReason::FeatureNotInTier => ErrorKind::FeatureNotInTier,
        ErrorReason::RevisionMismatch => ErrorKind::RevisionMismatch,
        ErrorReason::ReservationLost => ErrorKind::ReservationLost,
        ErrorReason::LeaseLost => ErrorKind::LeaseLost,
        ErrorReason::RevisionCompacted => ErrorKind::RevisionCompacted,
        ErrorReason::RevisionInFuture => ErrorKind::RevisionInFuture,
        ErrorReason::PageTokenExpired => ErrorKind::PageTokenExpired,
        ErrorReason::HistoryCompacted => ErrorKind::HistoryCompacted,
        ErrorReason::QuotaExceeded => ErrorKind::QuotaExceeded,
        ErrorReason::Overloaded => ErrorKind::Overloaded,
        ErrorReason::StorageFull => ErrorKind::StorageFull,
        ErrorReason::Unauthenticated => ErrorKind::Unauthenticated,
        ErrorReason::AgentForbidden | ErrorReason::VerbForbidden => ErrorKind::PermissionDenied,
        ErrorReason::StoreUnavailable => ErrorKind::StoreUnavailable,
        ErrorReason::Draining => ErrorKind::Draining,
        ErrorReason::SummarizerUnavailable => ErrorKind::SummarizerUnavailable,
        ErrorReason::UrlUnreachable => ErrorKind::UrlUnreachable,
        ErrorReason::ProposerUnavailable => ErrorKind::ProposerUnavailable,
        ErrorReason::DataDamaged => ErrorKind::DataDamaged,
        ErrorReason::SnapshotDamaged => ErrorKind::SnapshotDamaged,
        ErrorReason::HistoryLost => ErrorKind::HistoryLost,
        ErrorReason::Internal => ErrorKind::InternalError,
        ErrorReason::MethodUnknown => ErrorKind::Unimplemented,
    })
}

fn kind_by_code(code: Code) -> ErrorKind {
    match code {
        Code::InvalidArgument => ErrorKind::InvalidArgument,
        Code::NotFound => ErrorKind::NotFound,
        Code::AlreadyExists => ErrorKind::AlreadyExists,
        Code::FailedPrecondition => ErrorKind::FailedPrecondition,
        Code::Aborted => ErrorKind::Aborted,
        Code::OutOfRange => ErrorKind::OutOfRange,
        Code::ResourceExhausted => ErrorKind::ResourceExhausted,
        Code::Unavailable => ErrorKind::Unavailable,
        Code::DataLoss => ErrorKind::DataLoss,
        Code::Cancelled => ErrorKind::Cancelled,
        Code::DeadlineExceeded => ErrorKind::DeadlineExceeded,
        Code::PermissionDenied => ErrorKind::PermissionDenied,
        Code::Unauthenticated => ErrorKind::Unauthenticated,
        Code::Unimplemented => ErrorKind::Unimplemented,
        // OK is not an error: a call that failed with it is a defect.
        Code::Internal | Code::Unknown | Code::Ok => ErrorKind::InternalError,
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let code = code_of(&status);
        // Details that cannot be decoded are ignored: they must not hide the status code.
        let details = status.get_error_details();
        let info = details.error_info().filter(|info| info.domain == DOMAIN);
        let reason = info.map_or_else(String::new, |info| info.reason.clone());
        Failure {
            kind: kind_by_reason(&reason).unwrap_or_else(|| kind_by_code(code)),
            message: message_of(&status),
            code: Some(code),
            reason,
            metadata: info.map_or_else(Default::default, |info| info.metadata.clone().into_iter().collect()),
            fields: details.bad_request().map_or_else(Default::default, |bad| {
                let violations = bad.field_violations.iter();
                violations.map(|found| (found.field.clone(), found.description.clone())).collect()
            }),
            retry_delay: details.retry_info().and_then(|retry| retry.retry_delay),
            source: Some(Arc::new(status)),
        }
        .into()
    }
}

/// Returns the status code of the call by gRPC's rules.
///
/// A status with a source comes from tonic, whose code is UNKNOWN for a broken connection and CANCELLED for its timer.
fn code_of(status: &Status) -> Code {
    match (status.code(), status.source()) {
        (_, Some(source)) if chain(source).any(<dyn error::Error>::is::<TimeoutExpired>) => Code::DeadlineExceeded,
        (Code::Unknown, Some(_)) => Code::Unavailable,
        (code, _) => code,
    }
}

/// Returns the message of the status. For a failed connection it includes the cause, which tonic has only as a source.
fn message_of(status: &Status) -> String {
    let message = match status.message() {
        "" => status.code().description(),
        message => message,
    };
    match status.source().and_then(|source| chain(source).last()).map(ToString::to_string) {
        Some(root) if root != message => format!("{message}: {root}"),
        _ => message.to_owned(),
    }
}

fn chain<'a>(first: &'a (dyn error::Error + 'static)) -> impl Iterator<Item = &'a (dyn error::Error + 'static)> {
    iter::successors(Some(first), |&found| found.source())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::{Duration, SystemTime};

    use tonic_types::ErrorDetails;

    use super::*;

    fn status_with(code: Code, details: ErrorDetails) -> Status {
        Status::with_error_details(code, "no", details)
    }

    fn reasoned(code: Code, reason: &str, domain: &str) -> Status {
        let metadata = HashMap::from([("actual_revision".to_owned(), "7".to_owned())]);
        status_with(code, ErrorDetails::with_error_info(reason, domain, metadata))
    }

    #[test]
    fn the_reason_takes_precedence_over_the_code() {
        let error = Error::from(reasoned(Code::Aborted, "ERROR_REASON_REVISION_MISMATCH", DOMAIN));
        assert_eq!(error.kind(), ErrorKind::RevisionMismatch);
        assert_eq!(error.code(), Some(Code::Aborted));
        assert_eq!(error.reason(), "ERROR_REASON_REVISION_MISMATCH");
        assert_eq!(error.actual_revision(), Some(7));
        assert_eq!(error.expected_revision(), None);
        assert_eq!(error.to_string(), "no");
    }

    #[test]
    fn the_oldest_time_is_decoded() {
        let metadata = HashMap::from([("oldest_time".to_owned(), "2023-11-14T22:13:20.000001Z".to_owned())]);
        let details = ErrorDetails::with_error_info("ERROR_REASON_HISTORY_COMPACTED", DOMAIN, metadata);
        let error = Error::from(status_with(Code::OutOfRange, details));
        assert_eq!(error.kind(), ErrorKind::HistoryCompacted);
        let since_epoch = Duration::from_micros(1_700_000_000_000_001);
        assert_eq!(error.oldest_time(), Some(SystemTime::UNIX_EPOCH + since_epoch));
        assert_eq!(
            Error::from(reasoned(Code::OutOfRange, "ERROR_REASON_HISTORY_COMPACTED", DOMAIN)).oldest_time(),
            None
        );
    }

    #[test]
    fn every_reason_belongs_to_the_group_of_its_status_code() {
        let known = (100..1_700).filter_map(|number| Some((number, ErrorReason::try_from(number).ok()?)));
        for (number, reason) in known {
            let kind = kind_by_reason(reason.as_str_name()).expect("every reason has a kind");
            assert_eq!(kind.group(), kind_by_code(Code::from_i32(number / 100)), "{reason:?}");
        }
    }

    #[test]
    fn the_kind_of_an_unknown_reason_is_that_of_the_code() {
        let error = Error::from(reasoned(Code::OutOfRange, "ERROR_REASON_OF_TOMORROW", DOMAIN));
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        assert_eq!(error.reason(), "ERROR_REASON_OF_TOMORROW");
    }

    #[test]
    fn a_reason_of_another_domain_is_ignored() {
        let error = Error::from(reasoned(Code::Aborted, "ERROR_REASON_REVISION_MISMATCH", "elsewhere"));
        assert_eq!((error.kind(), error.reason()), (ErrorKind::Aborted, ""));
    }

    #[test]
    fn a_damaged_detail_does_not_hide_the_code() {
        let error = Error::from(Status::with_details(Code::NotFound, "no", b"\xff\xff damaged".as_slice().into()));
        assert_eq!((error.kind(), error.reason()), (ErrorKind::NotFound, ""));
    }

    #[test]
    fn invalid_fields_and_the_retry_delay_are_decoded() {
        let bad = status_with(Code::InvalidArgument, ErrorDetails::with_bad_request_violation("key", "is blank"));
        assert_eq!(Error::from(bad).fields()["key"], "is blank");
        let delay = Some(Duration::from_millis(1_500));
        let draining = status_with(Code::Unavailable, ErrorDetails::with_retry_info(delay));
        assert_eq!(Error::from(draining).retry_delay(), delay);
    }

    #[test]
    fn a_broken_connection_is_unavailable_with_its_cause() {
        let error = Error::from(Status::from_error("the pipe is broken".into()));
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("the pipe is broken"));
    }

    #[test]
    fn the_timer_of_tonic_is_the_deadline() {
        let error = Error::from(Status::from_error(Box::new(TimeoutExpired(()))));
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    }

    #[test]
    fn an_unknown_status_of_the_daemon_is_an_internal_error() {
        assert_eq!(Error::from(Status::unknown("odd")).kind(), ErrorKind::InternalError);
    }
}
