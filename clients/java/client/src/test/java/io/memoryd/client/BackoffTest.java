package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

  @Test
  void waitsDoubleUntilTheLongest() {
    Backoff backoff = new Backoff(TWO_SECONDS, () -> 1.0);
    List<Long> millis =
        IntStream.rangeClosed(1, 6)
            .mapToObj(failures -> backoff.after(failures).toMillis())
            .toList();
    assertEquals(List.of(100L, 200L, 400L, 800L, 1600L, 2000L), millis);
  }

  @Test
  void theRandomFactorTakesUpToHalfOfAWait() {
    assertEquals(Duration.ofMillis(50), new Backoff(TWO_SECONDS, () -> 0.0).after(1));
    assertEquals(Duration.ofMillis(75), new Backoff(TWO_SECONDS, () -> 0.5).after(1));
  }

  @Test
  void aThousandFailuresWaitNoLongerThanTheLongest() {
    assertEquals(TWO_SECONDS, new Backoff(TWO_SECONDS, () -> 1.0).after(1_000));
  }
}
