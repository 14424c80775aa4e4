/**
 * The errors of memoryd, all in one unchecked tree.
 *
 * <pre>
 * MemorydException
 * ├── CacheFullException
 * ├── InvalidTargetException
 * ├── StaleReadException
 * ├── UnsupportedValueException
 * ├── WrongTypeException
 * └── CallFailedException
 *     ├── InvalidArgumentException
 *     │   ├── DocumentUnreadableException
 *     │   ├── InvalidPageTokenException
 *     │   ├── InvalidResumeTokenException
 *     │   └── RequestIdReusedException
 *     ├── NotFoundException
 *     │   ├── AgentNotFoundException
 *     │   ├── OperationNotFoundException
 *     │   ├── RecordNotFoundException
 *     │   └── SnapshotNotFoundException
 *     ├── AlreadyExistsException
 *     │   ├── OperationExistsException
 *     │   ├── RecordExistsException
 *     │   └── SnapshotExistsException
 *     ├── FailedPreconditionException
 *     │   ├── AuditOffException
 *     │   ├── FeatureNotInTierException
 *     │   ├── ForeignResumeTokenException
 *     │   ├── PlanEndedException
 *     │   ├── SchemaTooNewException
 *     │   ├── SchemaTooOldException
 *     │   ├── ScopeDisposedException
 *     │   ├── SnapshotAgentMismatchException
 *     │   ├── SnapshotLockedException
 *     │   ├── SummarizerMissingException
 *     │   ├── UrlNotAllowedException
 *     │   └── VersionUnsupportedException
 *     ├── AbortedException
 *     │   ├── LeaseLostException
 *     │   ├── ReservationLostException
 *     │   └── RevisionMismatchException
 *     ├── OutOfRangeException
 *     │   ├── HistoryCompactedException
 *     │   ├── PageTokenExpiredException
 *     │   ├── RevisionCompactedException
 *     │   └── RevisionInFutureException
 *     ├── ResourceExhaustedException
 *     │   ├── OverloadedException
 *     │   ├── QuotaExceededException
 *     │   ├── StorageFullException
 *     │   └── TooLargeException
 *     ├── UnavailableException
 *     │   ├── DrainingException
 *     │   ├── ProposerUnavailableException
 *     │   ├── StoreUnavailableException
 *     │   ├── SummarizerUnavailableException
 *     │   └── UrlUnreachableException
 *     ├── DataLossException
 *     │   ├── DataDamagedException
 *     │   ├── HistoryLostException
 *     │   └── SnapshotDamagedException
 *     ├── CancelledException
 *     ├── DeadlineExceededException
 *     ├── InternalErrorException
 *     ├── PermissionDeniedException
 *     ├── UnauthenticatedException
 *     └── UnimplementedException
 * </pre>
 */
@NullMarked
package io.memoryd.client.error;

import org.jspecify.annotations.NullMarked;
