/**
 * The errors of memoryd, all in one unchecked tree.
 *
 * <pre>
 * MemorydException
 * ├── InvalidTargetException
 * ├── UnsupportedValueException
 * ├── WrongTypeException
 * └── CallFailedException
 *     ├── InvalidArgumentException
 *     │   ├── InvalidPageTokenException
 *     │   ├── InvalidResumeTokenException
 *     │   └── RequestIdReusedException
 *     ├── NotFoundException
 *     │   ├── AgentNotFoundException
 *     │   ├── MemoryNotFoundException
 *     │   ├── RecordNotFoundException
 *     │   ├── ScopeNotFoundException
 *     │   └── SnapshotNotFoundException
 *     ├── AlreadyExistsException
 *     │   ├── EntryExistsException
 *     │   ├── MemoryExistsException
 *     │   ├── RecordExistsException
 *     │   ├── ScopeExistsException
 *     │   └── SnapshotExistsException
 *     ├── FailedPreconditionException
 *     │   ├── ForeignResumeTokenException
 *     │   ├── SchemaTooNewException
 *     │   ├── ScopeDisposedException
 *     │   ├── SnapshotAgentMismatchException
 *     │   └── SnapshotLockedException
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
 *     │   ├── LimitExceededException
 *     │   └── StorageFullException
 *     ├── UnavailableException
 *     │   ├── DrainingException
 *     │   └── StoreUnavailableException
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
package io.memoryd.client.error;
