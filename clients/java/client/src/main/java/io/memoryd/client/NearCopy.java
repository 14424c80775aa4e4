package io.memoryd.client;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.InvalidResumeTokenException;
import io.memoryd.client.error.PermissionDeniedException;
import io.memoryd.client.error.UnauthenticatedException;
import io.memoryd.client.error.UnimplementedException;
import io.memoryd.v1.ContainsEntryRequest;
import io.memoryd.v1.ContainsEntryResponse;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A copy of an agent, kept current in the background until it is closed. */
final class NearCopy implements AutoCloseable {
  private static final Logger LOG = System.getLogger(NearCopy.class.getName());
  // The watch waits for the daemon as long as the copy is open.
  private static final Duration OUTAGE_MAX = Duration.ofDays(365_000);

  private final Connection connection;
  private final String agentId;
  private final NearState state;
  private final WatchEventsRequest request;
  private final AtomicBoolean proving = new AtomicBoolean();
  private final Thread following = new Thread(this::follow, "memoryd-near-cache");
  private final long proofIntervalNanos;
  private volatile boolean closed;
  private volatile Future<?> proofs = CompletableFuture.completedFuture(null);

  NearCopy(Connection connection, String agentId, NearCacheOptions options) {
    this.connection = connection;
    this.agentId = agentId;
    proofIntervalNanos = options.proofIntervalNanos();
    state = new NearState(agentId, options);
    List<String> path = NearWatch.lookupPath(connection, agentId, options.scopeId());
    request = NearWatch.request(agentId, path, options);
    following.setDaemon(true);
  }

  /** Returns a copy that is complete. */
  static NearCopy open(Connection connection, String agentId, NearCacheOptions options) {
    NearCopy copy = new NearCopy(connection, agentId, options);
    // From here on, no write of this client is overlooked.
    connection.nearCopies().enter(copy);
    copy.following.start();
    try {
      copy.awaitComplete();
      copy.proofs = copy.proveRegularly();
      return copy;
    } catch (RuntimeException failed) {
      copy.close();
      throw failed;
    }
  }

  String agentId() {
    return agentId;
  }

  NearState state() {
    return state;
  }

  /** Ends the copy. Reads then ask the daemon. */
  @Override
  public void close() {
    closed = true;
    connection.nearCopies().exit(this);
    proofs.cancel(false);
    state.close();
    following.interrupt();
  }

  private void awaitComplete() {
    try {
      if (!state.reach(Mark.ANY).get()) {
        RuntimeException failure = state.failure();
        throw failure == null ? cancelled("the client is closed", null) : failure;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw cancelled("the thread was interrupted", interrupted);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private Future<?> proveRegularly() {
    try {
      return connection
          .timer()
          .scheduleWithFixedDelay(
              this::prove, proofIntervalNanos, proofIntervalNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closing) {
      throw cancelled("the client is closed", closing);
    }
  }

  private static CallFailedException cancelled(String why, @Nullable Throwable cause) {
    return CallFailedException.from(Status.CANCELLED.withDescription(why).withCause(cause), null);
  }

  /** Keeps the mirror current by watches, until the copy is closed or one fails for good. */
  private void follow() {
    Backoff backoff =
        new Backoff(WatchProgress.LONGEST_DELAY, () -> ThreadLocalRandom.current().nextDouble());
    int failures = 0;
    while (!closed) {
      Loading loading = new Loading();
      try {
        followOnce(loading);
      } catch (RuntimeException error) {
        if (closed) {
          return;
        }
        if (!state.isComplete()) {
          state.fail(error);
          return;
        }
        if (!beginsAgain(error)) {
          LOG.log(Level.WARNING, "near cache of {0} ended: {1}", agentId, error.getMessage());
          state.fail(error);
          return;
        }
        LOG.log(Level.INFO, "near cache of {0} loads again: {1}", agentId, error.getMessage());
      }
      failures = loading.isOver ? 1 : failures + 1;
      try {
        TimeUnit.NANOSECONDS.sleep(backoff.after(failures).toNanos());
      } catch (InterruptedException closing) {
        return;
      }
    }
  }

  /** Loads a new mirror, and keeps it current until the watch ends. */
  private void followOnce(Loading loading) {
    try (Watch watch = Watch.begin(connection, request, OUTAGE_MAX)) {
      for (WatchMessage message : watch.messages()) {
        if (message instanceof WatchMessage.Received received) {
          loading.apply(received.response());
        } else {
          loading.restart();
        }
      }
    }
  }

  /** Returns whether a watch that ended with this error may begin again. */
  static boolean beginsAgain(RuntimeException error) {
    if (error instanceof InvalidResumeTokenException) {
      return true;
    }
    return error instanceof CallFailedException
        && !(error instanceof InvalidArgumentException
            || error instanceof PermissionDeniedException
            || error instanceof UnauthenticatedException
            || error instanceof UnimplementedException);
  }

  /**
   * Finds out how current the mirror is: it was current when a call began that it has caught up
   * with. A copy without a bound does so only while it owes a write.
   */
  private void prove() {
    if (!state.needsProof() || !proving.compareAndSet(false, true)) {
      return;
    }
    long began = NearState.now();
    Mark before = state.reached();
    // The key does not matter: the response has the agent's revision, 0 if there is no agent.
    ContainsEntryRequest asked =
        ContainsEntryRequest.newBuilder().setAgentId(agentId).setKey("-").build();
    ProofObserver observer = new ProofObserver(before, began);
    try {
      WorkingMemoryServiceGrpc.newStub(connection.channel()).containsEntry(asked, observer);
    } catch (RuntimeException thrown) {
      // Of an interceptor, for example: the timer would not run again.
      observer.onError(thrown);
    }
  }

  /** A mirror that is not in use before it is complete. */
  private final class Loading {
    private Mirror mirror = state.newMirror();
    private long began = NearState.now();
    private boolean isOver;

    void restart() {
      mirror = state.newMirror();
      began = NearState.now();
    }

    void apply(WatchEventsResponse message) {
      if (isOver) {
        state.apply(message);
        return;
      }
      mirror.apply(message);
      isOver = mirror.isComplete();
      if (isOver) {
        state.replace(mirror, began);
      }
    }
  }

  private final class ProofObserver implements StreamObserver<ContainsEntryResponse> {
    private final Mark before;
    private final long began;

    ProofObserver(Mark before, long began) {
      this.before = before;
      this.began = began;
    }

    @Override
    public void onNext(ContainsEntryResponse answer) {
      state.prove(Mark.of(answer.getRevision(), before), began);
    }

    @Override
    public void onError(Throwable failure) {
      proving.set(false);
      LOG.log(Level.DEBUG, "near cache of {0}: {1}", agentId, failure.getMessage());
    }

    @Override
    public void onCompleted() {
      proving.set(false);
    }
  }
}
