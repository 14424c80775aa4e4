package io.memoryd.client.error;

import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The details of a failed call. */
record CallFailure(
    Status.Code code,
    String message,
    String reason,
    Map<String, String> metadata,
    Map<String, String> fields,
    Optional<Duration> retryDelay,
    @Nullable Throwable cause) {}
