package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.memoryd.v1.Event;
import io.memoryd.v1.EventServiceGrpc;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import io.memoryd.v1.WatchPhase;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A watch of a scenario: a stream whose events are read when a step expects them. */
final class OpenWatch implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final BlockingClientCall<?, WatchEventsResponse> stream;
  private final Deque<Event> events = new ArrayDeque<>();

  OpenWatch(Channel channel, WatchEventsRequest request) {
    stream = EventServiceGrpc.newBlockingV2Stub(channel).watchEvents(request);
  }

  /** Waits for the first message. */
  void open() throws StatusException {
    WatchEventsResponse first = read(deadline());
    if (first.getPhase() != WatchPhase.WATCH_PHASE_OPENED) {
      throw new ScenarioFailure("the watch begins with " + first.getPhase());
    }
    events.addAll(first.getEventsList());
  }

  /** Waits for the expected number of events, and compares them. */
  void expect(JsonNode expected) {
    long deadline = deadline();
    for (int index = 0; index < expected.size(); index++) {
      try {
        while (events.isEmpty()) {
          events.addAll(read(deadline).getEventsList());
        }
      } catch (StatusException failed) {
        throw new ScenarioFailure("the watch failed: " + failed.getMessage()).at("event " + index);
      } catch (ScenarioFailure failed) {
        throw failed.at("event " + index);
      }
      Comparison.check(
          String.valueOf(index), expected.get(index), Methods.json(events.removeFirst()));
    }
  }

  @Override
  public void close() {
    stream.cancel("the scenario has ended", null);
  }

  private WatchEventsResponse read(long deadline) throws StatusException {
    try {
      WatchEventsResponse response =
          stream.read(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      if (response == null) {
        throw Status.OK.withDescription("the stream ended").asException();
      }
      return response;
    } catch (TimeoutException late) {
      throw new ScenarioFailure("no message within " + PATIENCE.toSeconds() + " s");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ScenarioFailure("interrupted");
    }
  }

  private static long deadline() {
    return System.nanoTime() + PATIENCE.toNanos();
  }
}
