package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.DataLossException;
import io.memoryd.v1.BatchGetEntriesRequest;
import io.memoryd.v1.BatchGetEntriesResponse;
import io.memoryd.v1.CommitRequest;
import io.memoryd.v1.CommitResponse;
import io.memoryd.v1.Entry;
import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.RemoveEntryResponse;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of several threads, and what the daemon receives of them. */
@Timeout(60)
class BatchingTest {
  // A test ends the window once all of its calls wait.
  private static final Duration WINDOW = Duration.ofSeconds(60);

  private final Log log = new Log();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Server server;
  private Connection connection;
  private Batcher batcher;
  private Agent agent;

  @BeforeEach
  void connect() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(log.entries)
            .addService(log.transactions)
            .build()
            .start();
    connection =
        new Connection(
            new ClientSettings(
                Target.of("127.0.0.1:" + server.getPort(), Map.of()),
                Optional.empty(),
                "",
                "",
                WINDOW,
                WINDOW,
                Optional.of(WINDOW),
                Values.strictMapper(),
                List.of(),
                UnaryOperator.identity()));
    batcher = connection.entryCalls().batcher().orElseThrow();
    agent = new Agent(connection, Place.root("a"));
  }

  @AfterEach
  void close() {
    connection.close();
    server.shutdownNow();
    threads.shutdownNow();
  }

  private <T> CompletableFuture<T> call(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, threads);
  }

  /** Ends the window once a number of calls wait. */
  private void send(int count) {
    while (batcher.size() < count) {
      Thread.onSpinWait();
    }
    batcher.send();
  }

  /** Makes calls of which a number can be sent together. */
  @SafeVarargs
  private void together(int count, Supplier<Object>... calls) {
    List<CompletableFuture<Object>> running = new ArrayList<>();
    for (Supplier<Object> each : calls) {
      running.add(call(each));
    }
    send(count);
    running.forEach(CompletableFuture::join);
  }

  private <E extends Exception> void assertFails(Class<E> type, CompletableFuture<?> call) {
    CompletionException failed = assertThrows(CompletionException.class, call::join);
    assertEquals(type, failed.getCause().getClass());
  }

  @Test
  void callsOfOneWindowTravelTogetherForEachScopeThatIsRead() {
    Scope scope = agent.attach("s");
    Agent other = new Agent(connection, Place.root("b"));
    together(
        9,
        () -> agent.get("a"),
        () -> agent.get("a"),
        () -> agent.get("b"),
        () -> scope.get("a"),
        () -> scope.get("c"),
        () -> scope.local().get("a"),
        () -> agent.set("d", 1),
        () -> scope.remove("e"),
        () -> agent.withMinRevision(1).get("f"),
        () -> agent.set("g", 1, Condition.mustExist()),
        () -> other.set("d", 1));
    assertEquals(
        List.of("commit d e", "get a", "get a a b", "get a c in s", "get f", "set d", "set g"),
        log.sorted());
  }

  @Test
  void aCallAloneIsSentAsItIs() {
    together(1, () -> agent.set("a", 1));
    together(1, () -> agent.get("a"));
    together(1, () -> agent.remove("a"));
    assertEquals(List.of("set a", "get a", "remove a"), List.copyOf(log.calls));
  }

  @Test
  void eachCallHasItsResult() {
    var absent = call(() -> agent.get("none"));
    var present = call(() -> agent.get("a"));
    var stored = call(() -> agent.set("b", 1));
    var removed = call(() -> agent.remove("c"));
    send(4);
    assertEquals(true, absent.join().isEmpty());
    assertEquals("a", present.join().map(JsonNode::asText).orElseThrow());
    assertEquals(7, stored.join().getRevision());
    assertEquals(true, removed.join());
    assertEquals(2, log.calls.size());
  }

  @Test
  void afterABatchThatWasRefusedEachCallIsMadeByItself() {
    log.failure.set(Status.INVALID_ARGUMENT);
    together(2, () -> agent.set("a", 1), () -> agent.set("b", 1));
    assertEquals(List.of("commit a b", "set a", "set b"), log.sorted());
    log.calls.clear();
    log.failure.set(Status.RESOURCE_EXHAUSTED);
    together(2, () -> agent.get("a"), () -> agent.get("b"));
    assertEquals(List.of("get a", "get a b", "get b"), log.sorted());
  }

  @Test
  void afterABatchOfWhichNobodyKnowsWhetherItWasMadeEachCallFails() {
    log.failure.set(Status.DATA_LOSS);
    var one = call(() -> agent.set("a", 1));
    var other = call(() -> agent.set("b", 1));
    send(2);
    assertFails(DataLossException.class, one);
    assertFails(DataLossException.class, other);
    assertEquals(List.of("commit a b"), log.sorted());
  }

  @Test
  void anInterruptEndsItsCallAndABatchOnceItHasEndedAll() throws Exception {
    log.held = new CountDownLatch(1);
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    Thread interrupted = reader("a", failed);
    CompletableFuture<?> other = call(() -> agent.get("b"));
    send(2);
    log.received.await();
    interrupted.interrupt();
    assertTrue(failed.get(60, TimeUnit.SECONDS) instanceof CancelledException);
    assertEquals(1, log.cancelled.getCount());
    log.held.countDown();
    other.join();

    log.cancelled = new CountDownLatch(1);
    log.held = new CountDownLatch(1);
    log.received = new CountDownLatch(1);
    CompletableFuture<Throwable> first = new CompletableFuture<>();
    CompletableFuture<Throwable> second = new CompletableFuture<>();
    List<Thread> both = List.of(reader("a", first), reader("b", second));
    send(2);
    log.received.await();
    both.forEach(Thread::interrupt);
    first.join();
    second.join();
    log.cancelled.await();
    log.held.countDown();
  }

  private Thread reader(String key, CompletableFuture<Throwable> failed) {
    Thread thread =
        new Thread(
            () -> {
              try {
                agent.get(key);
              } catch (CancelledException cancelled) {
                failed.complete(
                    Thread.currentThread().isInterrupted()
                        ? cancelled
                        : new AssertionError("the thread is not interrupted any more"));
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void aContextThatIsCancelledEndsItsCall() {
    Context.CancellableContext context = Context.current().withCancellation();
    Runnable reading = context.wrap(() -> assertCancelled(() -> agent.get("a")));
    var cancelled = CompletableFuture.runAsync(reading, threads);
    var other = call(() -> agent.get("b"));
    while (batcher.size() < 2) {
      Thread.onSpinWait();
    }
    context.cancel(null);
    cancelled.join();
    batcher.send();
    other.join();
    assertEquals(List.of("get b"), log.sorted());
  }

  private static void assertCancelled(Supplier<?> call) {
    assertThrows(CancelledException.class, call::get);
  }

  @Test
  void moreBytesThanACommitHasAreSentAsSeveral() {
    String large = "v".repeat(600_000);
    together(
        3, () -> agent.set("a", large), () -> agent.set("b", large), () -> agent.set("c", large));
    assertEquals(List.of("set a", "set b", "set c"), log.sorted());
  }

  @Test
  void aClosedClientCancelsTheCalls() {
    connection.close();
    assertFails(CancelledException.class, call(() -> agent.get("a")));
  }

  @Test
  void aWindowThatIsNotAllowedIsRefused() {
    MemorydClient.Builder builder = MemorydClient.builder();
    assertThrows(IllegalArgumentException.class, () -> builder.batching(Duration.ZERO));
    builder.batching(Duration.ofSeconds(11));
    assertThrows(IllegalArgumentException.class, builder::connect);
  }

  /** A daemon that records the calls, and can hold or refuse a batch. */
  private static final class Log {
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Status> failure = new AtomicReference<>();
    private volatile CountDownLatch cancelled = new CountDownLatch(1);
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile CountDownLatch received = new CountDownLatch(1);

    private final WorkingMemoryServiceGrpc.WorkingMemoryServiceImplBase entries =
        new WorkingMemoryServiceGrpc.WorkingMemoryServiceImplBase() {
          @Override
          public void getEntry(GetEntryRequest request, StreamObserver<GetEntryResponse> observer) {
            answer("get " + request.getKey(), observer, GetEntryResponse.getDefaultInstance());
          }

          @Override
          public void setEntry(SetEntryRequest request, StreamObserver<SetEntryResponse> observer) {
            answer("set " + request.getKey(), observer, SetEntryResponse.getDefaultInstance());
          }

          @Override
          public void removeEntry(
              RemoveEntryRequest request, StreamObserver<RemoveEntryResponse> observer) {
            answer(
                "remove " + request.getKey(), observer, RemoveEntryResponse.getDefaultInstance());
          }

          @Override
          public void batchGetEntries(
              BatchGetEntriesRequest request, StreamObserver<BatchGetEntriesResponse> observer) {
            BatchGetEntriesResponse.Builder response = BatchGetEntriesResponse.newBuilder();
            request.getKeysList().stream()
                .filter(key -> !key.equals("none"))
                .map(key -> Entry.newBuilder().setKey(key).setValueJson("\"" + key + "\""))
                .forEach(response::addEntries);
            String place = request.getScopeId().isEmpty() ? "" : " in " + request.getScopeId();
            String keys = String.join(" ", request.getKeysList().stream().sorted().toList());
            batch("get " + keys + place, observer, response.build());
          }
        };

    private final TransactionServiceGrpc.TransactionServiceImplBase transactions =
        new TransactionServiceGrpc.TransactionServiceImplBase() {
          @Override
          public void commit(CommitRequest request, StreamObserver<CommitResponse> observer) {
            CommitResponse.Builder response = CommitResponse.newBuilder().setRevision(7);
            request.getWritesList().forEach(write -> response.addResults(result(write)));
            List<String> keys = request.getWritesList().stream().map(Log::key).sorted().toList();
            batch("commit " + String.join(" ", keys), observer, response.build());
          }
        };

    List<String> sorted() {
      return calls.stream().sorted().toList();
    }

    private static String key(Write write) {
      return write.hasSetEntry() ? write.getSetEntry().getKey() : write.getRemoveEntry().getKey();
    }

    private static WriteResult.Builder result(Write write) {
      WriteResult.Builder result = WriteResult.newBuilder();
      return write.hasSetEntry()
          ? result.setSetEntry(SetEntryResponse.newBuilder().setRevision(7))
          : result.setRemoveEntry(RemoveEntryResponse.newBuilder().setDeleted(true));
    }

    private <S> void answer(String call, StreamObserver<S> observer, S response) {
      calls.add(call);
      observer.onNext(response);
      observer.onCompleted();
    }

    private <S> void batch(String call, StreamObserver<S> observer, S response) {
      calls.add(call);
      Context.current().addListener(ended -> cancelled.countDown(), Runnable::run);
      received.countDown();
      try {
        held.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      Status refused = failure.getAndSet(null);
      if (refused == null) {
        observer.onNext(response);
        observer.onCompleted();
      } else {
        observer.onError(new StatusRuntimeException(refused));
      }
    }
  }
}
