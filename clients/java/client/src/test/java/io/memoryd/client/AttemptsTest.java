package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.rpc.ErrorInfo;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.ErrorTrailers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AttemptsTest {
  private static final CallFailedException UNAVAILABLE = error(Status.UNAVAILABLE);

  private long now;

  @Test
  void theWaitDoublesWhileTheDaemonIsUnavailable() {
    Attempts attempts = attempts(true, 10_000);
    assertEquals(Optional.of(Duration.ofMillis(100)), attempts.delayAfter(UNAVAILABLE));
    assertEquals(Optional.of(Duration.ofMillis(200)), attempts.delayAfter(UNAVAILABLE));
  }

  @Test
  void aCallThatTheDaemonCancelledIsRepeated() {
    assertEquals(
        Optional.of(Duration.ofMillis(100)),
        attempts(true, 10_000).delayAfter(error(Status.CANCELLED)));
  }

  @Test
  void theWaitIsTheRetryDelayOfTheDaemon() {
    Metadata trailers = ErrorTrailers.retryAfter(Duration.ofMillis(1_500));
    CallFailedException draining = CallFailedException.from(Status.UNAVAILABLE, trailers);
    assertEquals(
        Optional.of(Duration.ofMillis(1_500)), attempts(true, 10_000).delayAfter(draining));
  }

  @Test
  void thereIsNoRetryIfTheWaitWouldPassTheDeadline() {
    Attempts attempts = attempts(true, 250);
    assertEquals(Optional.of(Duration.ofMillis(100)), attempts.delayAfter(UNAVAILABLE));
    now += TimeUnit.MILLISECONDS.toNanos(100);
    assertEquals(Optional.empty(), attempts.delayAfter(UNAVAILABLE));
  }

  @Test
  void aCallThatIsNotIdempotentIsNotRepeated() {
    assertEquals(Optional.empty(), attempts(false, 10_000).delayAfter(UNAVAILABLE));
  }

  @ParameterizedTest
  @CsvSource({"OVERLOADED, true", "QUOTA_EXCEEDED, false", "STORAGE_FULL, false"})
  void ofExhaustedResourcesOnlyAnOverloadIsRetried(String reason, boolean isRetried) {
    ErrorInfo info =
        ErrorInfo.newBuilder().setDomain("memoryd").setReason("ERROR_REASON_" + reason).build();
    CallFailedException error =
        CallFailedException.from(Status.RESOURCE_EXHAUSTED, ErrorTrailers.of(info));
    assertEquals(isRetried, attempts(true, 10_000).delayAfter(error).isPresent());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"UNAVAILABLE", "CANCELLED"})
  void anyOtherErrorIsNotRetried(Status.Code code) {
    assertEquals(Optional.empty(), attempts(true, 10_000).delayAfter(error(Status.fromCode(code))));
  }

  private Attempts attempts(boolean repeatable, long millis) {
    Deadline.Ticker ticker =
        new Deadline.Ticker() {
          @Override
          public long nanoTime() {
            return now;
          }
        };
    return new Attempts(
        repeatable,
        Deadline.after(millis, TimeUnit.MILLISECONDS, ticker),
        new Backoff(Attempts.LONGEST_DELAY, () -> 1.0));
  }

  private static CallFailedException error(Status status) {
    return CallFailedException.from(status, null);
  }
}
