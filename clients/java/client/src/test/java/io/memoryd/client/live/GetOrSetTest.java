package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import io.memoryd.client.Agent;
import io.memoryd.client.ReserveOptions;
import io.memoryd.client.Scope;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.DeadlineExceededException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@LiveTest
class GetOrSetTest {
  private static final ReserveOptions IMPATIENT =
      ReserveOptions.DEFAULT.withPatience(Duration.ofMillis(100));

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch making = new CountDownLatch(1);
  private final CountDownLatch made = new CountDownLatch(1);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void aValueIsMadeOnceAndThenFound(Agent agent) {
    assertEquals("made", agent.getOrSet("k", String.class, () -> "made"));
    assertEquals("made", agent.getOrSet("k", String.class, () -> "made again"));
    assertEquals(
        List.of(1),
        agent.getOrSet("list", new TypeReference<List<Integer>>() {}, () -> List.of(1)));
  }

  @Test
  void ofManyCallersOneMakesTheValue(Agent agent) throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Callable<Integer> caller = () -> agent.getOrSet("k", Integer.class, runs::incrementAndGet);
    List<Callable<Integer>> callers = IntStream.range(0, 5).mapToObj(n -> caller).toList();
    Set<Integer> values =
        threads.invokeAll(callers).stream().map(GetOrSetTest::result).collect(Collectors.toSet());
    assertEquals(Set.of(1), values);
    assertEquals(1, runs.get());
  }

  @Test
  void anExceptionOfTheFactoryIsThrownAndTheNextCallerTakesOver(Agent agent) {
    IOException failure = new IOException("no source");
    assertEquals(
        failure,
        assertThrows(
            IOException.class,
            () ->
                agent.getOrSet(
                    "k",
                    String.class,
                    () -> {
                      throw failure;
                    })));
    assertEquals("made", agent.getOrSet("k", String.class, () -> "made", IMPATIENT));
  }

  @Test
  void anUnsupportedValueReleasesTheReservation(Agent agent) {
    assertThrows(RuntimeException.class, () -> agent.getOrSet("k", Double.class, () -> Double.NaN));
    assertEquals(1.0, agent.getOrSet("k", Double.class, () -> 1.0, IMPATIENT));
  }

  @Test
  void aCallerWaitsNoLongerThanItsPatience(Agent agent) throws Exception {
    Future<String> maker = threads.submit(() -> slowly(agent, ReserveOptions.DEFAULT));
    assertTrue(making.await(10, TimeUnit.SECONDS));
    assertThrows(
        DeadlineExceededException.class,
        () -> agent.getOrSet("k", String.class, () -> "other", IMPATIENT));
    made.countDown();
    assertEquals("slow", maker.get());
  }

  @Test
  void theLeaseIsRenewedWhileTheFactoryRuns(Agent agent) throws Exception {
    ReserveOptions shortLease = ReserveOptions.DEFAULT.withLease(Duration.ofSeconds(1));
    Future<String> maker = threads.submit(() -> slowly(agent, shortLease));
    assertTrue(making.await(10, TimeUnit.SECONDS));
    // Without a renewal this caller would acquire the reservation.
    ReserveOptions longerThanTheLease =
        ReserveOptions.DEFAULT.withPatience(Duration.ofMillis(2_500));
    assertThrows(
        DeadlineExceededException.class,
        () -> agent.getOrSet("k", String.class, () -> "other", longerThanTheLease));
    made.countDown();
    assertEquals("slow", maker.get());
  }

  @Test
  void anInterruptEndsTheWait(Agent agent) throws Exception {
    Future<String> maker = threads.submit(() -> slowly(agent, ReserveOptions.DEFAULT));
    assertTrue(making.await(10, TimeUnit.SECONDS));
    AtomicReference<Exception> thrown = new AtomicReference<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                agent.getOrSet("k", String.class, () -> "other");
              } catch (RuntimeException error) {
                thrown.set(error);
              }
            });
    waiter.start();
    waiter.interrupt();
    waiter.join(10_000);
    assertInstanceOf(CancelledException.class, thrown.get());
    made.countDown();
    assertEquals("slow", maker.get());
  }

  @Test
  void aLocalGetOrSetMakesAValueInTheScope(Agent agent) {
    agent.set("k", Map.of("from", "root"));
    try (Scope scope = agent.scope("task")) {
      assertEquals(Map.of("from", "root"), scope.getOrSet("k", Map.class, Map::of));
      assertEquals(Map.of(), scope.local().getOrSet("k", Map.class, Map::of));
    }
  }

  private String slowly(Agent agent, ReserveOptions options) throws InterruptedException {
    return agent.getOrSet(
        "k",
        String.class,
        () -> {
          making.countDown();
          made.await();
          return "slow";
        },
        options);
  }

  private static <T> T result(Future<T> future) {
    try {
      return future.get();
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }
}
