package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.ErrorTrailers;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import io.memoryd.v1.WatchPhase;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class WatchProgressTest {
  private static final CallFailedException AWAY = error(Status.UNAVAILABLE);

  private long now;

  @Test
  void aBrokenWatchContinuesAfterTheLastMessage() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    assertEquals("", progress.request().getResumeToken());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    progress.receive(message(WatchPhase.WATCH_PHASE_LIVE, "t1"));
    assertEquals("t1", progress.request().getResumeToken());
  }

  @Test
  void theResumeTokenIsThatOfTheLastDeliveredMessage() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    WatchEventsResponse live = message(WatchPhase.WATCH_PHASE_LIVE, "t1");
    progress.receive(live);
    assertEquals("", progress.resumeToken());
    progress.delivered(live);
    assertEquals("t1", progress.resumeToken());
  }

  @Test
  void aTokenOfTheInitialStateIsNotUsed() {
    WatchProgress progress = progress(initialState());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    assertTrue(progress.request().getIncludeInitialState());
    assertFalse(progress.initialStateComplete());
    progress.receive(message(WatchPhase.WATCH_PHASE_INITIAL_STATE_COMPLETE, "t1"));
    assertTrue(progress.initialStateComplete());
    assertEquals("t1", progress.request().getResumeToken());
  }

  @Test
  void anIncompleteInitialStateBeginsAgain() {
    WatchProgress progress = progress(initialState());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    assertFalse(progress.restart());
    progress.receive(message(WatchPhase.WATCH_PHASE_INITIAL_STATE, ""));
    assertTrue(progress.restart());
    assertFalse(progress.restart());
    progress.receive(message(WatchPhase.WATCH_PHASE_INITIAL_STATE, ""));
    progress.receive(message(WatchPhase.WATCH_PHASE_INITIAL_STATE_COMPLETE, "t1"));
    assertFalse(progress.restart());
  }

  @Test
  void aWatchThatNeverOpenedGivesUpAfterTheConnectTimeout() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    assertEquals(Duration.ofMillis(100), progress.lose(AWAY));
    pass(Duration.ofMillis(4_900));
    assertSame(AWAY, assertThrows(CallFailedException.class, () -> progress.lose(AWAY)));
  }

  @Test
  void anOpenWatchGivesUpAfterTheOutageMax() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    pass(Duration.ofHours(1));
    progress.lose(AWAY);
    pass(Duration.ofSeconds(59));
    progress.lose(AWAY);
    pass(Duration.ofSeconds(1));
    assertThrows(CallFailedException.class, () -> progress.lose(AWAY));
  }

  @Test
  void aMessageEndsTheOutage() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    progress.lose(AWAY);
    assertEquals(Duration.ofMillis(200), progress.lose(AWAY));
    pass(Duration.ofSeconds(59));
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    assertEquals(1, progress.resumes());
    pass(Duration.ofSeconds(59));
    assertEquals(Duration.ofMillis(100), progress.lose(AWAY));
  }

  @Test
  void theOutageMaxMayBeUnlimited() {
    WatchProgress progress =
        progress(WatchEventsRequest.getDefaultInstance(), ChronoUnit.FOREVER.getDuration());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    progress.lose(AWAY);
    pass(Duration.ofDays(1_000));
    assertEquals(Duration.ofMillis(200), progress.lose(AWAY));
  }

  @Test
  void theWaitIsTheGreaterOfBackoffAndRetryDelay() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    CallFailedException draining =
        CallFailedException.from(
            Status.UNAVAILABLE, ErrorTrailers.retryAfter(Duration.ofSeconds(3)));
    assertEquals(Duration.ofSeconds(3), progress.lose(draining));
    CallFailedException hasty =
        CallFailedException.from(
            Status.UNAVAILABLE, ErrorTrailers.retryAfter(Duration.ofMillis(1)));
    assertEquals(Duration.ofMillis(200), progress.lose(hasty));
  }

  @Test
  void anotherErrorEndsTheWatchAtOnce() {
    WatchProgress progress = progress(WatchEventsRequest.getDefaultInstance());
    progress.receive(message(WatchPhase.WATCH_PHASE_OPENED, "t0"));
    CallFailedException compacted = error(Status.OUT_OF_RANGE);
    assertSame(compacted, assertThrows(CallFailedException.class, () -> progress.lose(compacted)));
  }

  private WatchProgress progress(WatchEventsRequest request) {
    return progress(request, Duration.ofSeconds(60));
  }

  private WatchProgress progress(WatchEventsRequest request, Duration outageMax) {
    Backoff backoff = new Backoff(WatchProgress.LONGEST_DELAY, () -> 1.0);
    return new WatchProgress(request, Duration.ofSeconds(5), outageMax, () -> now, backoff);
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private static WatchEventsRequest initialState() {
    return WatchEventsRequest.newBuilder().setIncludeInitialState(true).build();
  }

  private static WatchEventsResponse message(WatchPhase phase, String token) {
    return WatchEventsResponse.newBuilder().setPhase(phase).setResumeToken(token).build();
  }

  private static CallFailedException error(Status status) {
    return CallFailedException.from(status, null);
  }
}
