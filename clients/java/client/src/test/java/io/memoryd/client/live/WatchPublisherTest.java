package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.WatchMessage;
import io.memoryd.client.WatchOptions;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.InvalidResumeTokenException;
import io.memoryd.v1.Event;
import io.memoryd.v1.WatchPhase;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@LiveTest
class WatchPublisherTest {
  @Test
  void eachEventIsPublishedOnceAndInOrderAndOnlyOnDemand(Agent agent) throws Exception {
    agent.set("before", 0);
    Received<Event> events = new Received<>(1);
    agent.async().watch(WatchOptions.DEFAULT.withInitialState()).subscribe(events);
    assertEquals("before", events.next().getEntry().getKey());
    agent.set("a", 1);
    agent.set("b", 2);
    Received<Event> others = new Received<>(Long.MAX_VALUE);
    agent.async().watch(WatchOptions.DEFAULT.withInitialState()).subscribe(others);
    // The initial state has no order.
    Set<String> keys = new HashSet<>();
    while (keys.size() < 3) {
      assertTrue(keys.add(others.next().getEntry().getKey()));
    }
    assertEquals(Set.of("a", "b", "before"), keys);
    // The other subscriber has all of them meanwhile; this one has not asked for any.
    assertNull(events.items.poll());
    events.subscription.request(2);
    assertEquals("a", events.next().getEntry().getKey());
    assertEquals("b", events.next().getEntry().getKey());
    events.subscription.cancel();
    others.subscription.cancel();
    agent.set("c", 3);
    assertTrue(events.items.isEmpty() && !events.ended.isDone());
  }

  @Test
  void messagesSayWhenTheWatchIsOpenAndWhereToResumeIt(Agent agent) throws Exception {
    Received<WatchMessage> messages = new Received<>(Long.MAX_VALUE);
    agent.async().watchMessages(WatchOptions.DEFAULT).subscribe(messages);
    var opened = assertInstanceOf(WatchMessage.Received.class, messages.next()).response();
    assertEquals(WatchPhase.WATCH_PHASE_OPENED, opened.getPhase());
    agent.set("k", 1);
    var live = assertInstanceOf(WatchMessage.Received.class, messages.next()).response();
    assertEquals("k", live.getEvents(0).getEntry().getKey());
    messages.subscription.cancel();
    agent.set("next", 2);
    Received<Event> events = new Received<>(1);
    WatchOptions resuming = WatchOptions.DEFAULT.withResumeToken(live.getResumeToken());
    agent.async().watch(resuming).subscribe(events);
    assertEquals("next", events.next().getEntry().getKey());
    events.subscription.cancel();
  }

  @Test
  void anErrorThatNoReconnectionResolvesIsThatOfTheSubscriber(Agent agent) throws Exception {
    Received<Event> events = new Received<>(1);
    agent.async().watch(WatchOptions.DEFAULT.withResumeToken("damaged")).subscribe(events);
    assertInstanceOf(InvalidResumeTokenException.class, events.end());
  }

  @Test
  void theEndOfTheClientEndsTheSubscription(Agent agent) throws Exception {
    Received<WatchMessage> messages = new Received<>(Long.MAX_VALUE);
    try (MemorydClient client = MemorydClient.connect()) {
      client.agent(agent.agentId()).async().watchMessages(WatchOptions.DEFAULT).subscribe(messages);
      messages.next();
    }
    assertInstanceOf(CancelledException.class, messages.end());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void aRequestThatIsNotPositiveIsAnError(long count, Agent agent) throws Exception {
    Received<Event> events = new Received<>(count);
    agent.async().watch().subscribe(events);
    assertInstanceOf(IllegalArgumentException.class, events.end());
  }

  /** Keeps what it receives. */
  private static final class Received<T> implements Flow.Subscriber<T> {
    private final long first;
    private final BlockingQueue<T> items = new LinkedBlockingQueue<>();
    private final CompletableFuture<Throwable> ended = new CompletableFuture<>();
    private volatile Flow.Subscription subscription;

    Received(long first) {
      this.first = first;
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
      subscription = begun;
      begun.request(first);
    }

    @Override
    public void onNext(T item) {
      items.add(item);
    }

    @Override
    public void onError(Throwable error) {
      ended.complete(error);
    }

    @Override
    public void onComplete() {
      ended.complete(null);
    }

    T next() throws InterruptedException {
      T item = items.poll(60, TimeUnit.SECONDS);
      if (item == null) {
        throw new AssertionError("nothing was published, and the end is " + ended);
      }
      return item;
    }

    Throwable end() throws Exception {
      return ended.get(60, TimeUnit.SECONDS);
    }
  }
}
