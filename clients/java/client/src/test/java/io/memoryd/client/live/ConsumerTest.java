package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.FragmentConsumer;
import io.memoryd.client.FragmentConsumerOptions;
import io.memoryd.client.LeaseFragmentsOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.LeaseLostException;
import io.memoryd.v1.Fragment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@LiveTest
class ConsumerTest {
  private static final Duration SHORT_LEASE = Duration.ofMillis(300);

  private final BlockingQueue<Exception> errors = new LinkedBlockingQueue<>();
  private final FragmentConsumerOptions options =
      FragmentConsumerOptions.DEFAULT.withOnError(errors::add);

  @Test
  void handledFragmentsLeaveTheBuffer(Agent agent) throws InterruptedException {
    BlockingQueue<String> contents = new LinkedBlockingQueue<>();
    try (FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  assertEquals(1, delivery.fragments().size());
                  contents.add(delivery.fragments().get(0).getContent());
                },
                options.withLimit(1))) {
      flush(agent, "one", "two");
      assertEquals("one", soon(contents));
      assertEquals("two", soon(contents));
      assertFalse(consumer.ended().isDone());
    }
    assertEquals(0, left(agent));
    assertEquals(List.of(), List.copyOf(errors));
  }

  @Test
  void fragmentsWhoseHandlerFailsAreDeliveredAgain(Agent agent) throws InterruptedException {
    BlockingQueue<Integer> deliveries = new LinkedBlockingQueue<>();
    flush(agent, "one");
    try (FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  int count = delivery.fragments().get(0).getDeliveryCount();
                  deliveries.add(count);
                  if (count == 1) {
                    throw new Exception("no");
                  }
                },
                options)) {
      assertEquals(1, soon(deliveries));
      assertEquals(2, soon(deliveries));
      assertFalse(consumer.ended().isDone());
    }
    assertEquals(List.of("no"), errors.stream().map(Exception::getMessage).toList());
    assertEquals(0, left(agent));
  }

  @Test
  void theLeaseIsRenewedWhileTheHandlerRuns(Agent agent) throws InterruptedException {
    BlockingQueue<List<Fragment>> taken = new LinkedBlockingQueue<>();
    LeaseFragmentsOptions patient =
        LeaseFragmentsOptions.DEFAULT.withWaitDuration(Duration.ofMillis(200));
    flush(agent, "one");
    try (FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  // Past the end of the first lease, nobody else is given the fragment.
                  for (int n = 0; n < 3; n++) {
                    taken.add(agent.fragments().take(patient).getFragmentsList());
                  }
                },
                options.withLease(SHORT_LEASE))) {
      for (int n = 0; n < 3; n++) {
        assertEquals(List.of(), soon(taken));
      }
      assertFalse(consumer.ended().isDone());
    }
    assertEquals(0, left(agent));
  }

  @Test
  void aHandlerNoticesThatItsLeaseIsLost(Agent agent) throws InterruptedException {
    CountDownLatch noticed = new CountDownLatch(1);
    flush(agent, "one");
    try (FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  agent.fragments().clear();
                  delivery.leaseLost().get();
                  noticed.countDown();
                },
                options.withLease(SHORT_LEASE))) {
      assertTrue(noticed.await(60, TimeUnit.SECONDS));
      assertFalse(consumer.ended().isDone());
    }
    assertInstanceOf(LeaseLostException.class, soon(errors));
  }

  @Test
  void aConsumerEndsWithAnErrorThatNoRetryResolves(Agent agent) {
    FragmentConsumerOptions invalid = options.withLease(Duration.ofMillis(1));
    FragmentConsumer consumer = agent.fragments().consumer(delivery -> {}, invalid);
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> consumer.ended().get(60, TimeUnit.SECONDS));
    assertInstanceOf(InvalidArgumentException.class, failed.getCause());
    assertThrows(InvalidArgumentException.class, consumer::close);
  }

  @Test
  void anErrorOfTheHandlerEndsTheConsumerAndReleasesTheFragments(Agent agent) {
    flush(agent, "one");
    FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  throw new AssertionError("broken");
                },
                options);
    assertThrows(ExecutionException.class, () -> consumer.ended().get(60, TimeUnit.SECONDS));
    assertThrows(AssertionError.class, consumer::close);
    assertEquals(1, agent.fragments().take().getFragmentsCount());
  }

  @Test
  void whatAClosedConsumerStillReceivesIsReleased(Agent agent) {
    FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  throw new IllegalStateException("it is closed");
                },
                options);
    Thread closing = new Thread(consumer::close);
    closing.start();
    flush(agent, "one");
    consumer.close();
    LeaseFragmentsOptions patient =
        LeaseFragmentsOptions.DEFAULT.withWaitDuration(Duration.ofSeconds(5));
    assertEquals(1, agent.fragments().take(patient).getFragmentsCount());
  }

  @Test
  void aConsumerEndsWithItsClient(MemorydClient client, Agent agent) throws Exception {
    FragmentConsumer consumer = agent.fragments().consumer(delivery -> {}, options);
    client.close();
    consumer.ended().get(60, TimeUnit.SECONDS);
    consumer.close();
  }

  @Test
  void aHandlerMayCloseItsConsumer(Agent agent) throws Exception {
    BlockingQueue<FragmentConsumer> consumers = new LinkedBlockingQueue<>();
    FragmentConsumer consumer =
        agent.fragments().consumer(delivery -> soon(consumers).close(), options);
    consumers.add(consumer);
    flush(agent, "one");
    consumer.ended().get(60, TimeUnit.SECONDS);
    assertEquals(0, left(agent));
  }

  private static void flush(Agent agent, String... contents) {
    for (String content : contents) {
      agent.fragments().create(content);
    }
    agent.fragments().flush();
  }

  private static long left(Agent agent) {
    return agent.fragments().count().getFragmentCount();
  }

  private static <T> T soon(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    assertNotNull(next);
    return next;
  }
}
