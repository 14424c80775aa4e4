package io.memoryd.client;

import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A change, whose response is delivered once the near caches of its agent have it. */
final class NearCall<Q, S> extends SimpleForwardingClientCall<Q, S> {
  // After that, the near caches ask the daemon.
  private static final Duration SEEN_MAX = Duration.ofSeconds(1);

  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final NearWrite write;

  /** Delivers on {@code executor}, or on that of {@link CompletableFuture} if it is null. */
  NearCall(
      ClientCall<Q, S> call, NearCopies copies, ScheduledExecutorService timer, Executor executor) {
    super(call);
    write = new NearWrite(copies);
    this.timer = timer;
    this.executor = executor;
  }

  @Override
  public void start(Listener<S> listener, Metadata headers) {
    super.start(new SeenListener(listener), headers);
  }

  @Override
  public void sendMessage(Q message) {
    write.begin(message);
    super.sendMessage(message);
  }

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    super.cancel(message, cause);
    // The change may be made already: then only the wait for it ends.
    write.giveUp();
  }

  private void whenSeen(S response, Runnable deliver) {
    CompletableFuture<Void> seen = write.end(response);
    if (seen.isDone()) {
      deliver.run();
      return;
    }
    try {
      Future<?> end = timer.schedule(write::giveUp, SEEN_MAX.toNanos(), TimeUnit.NANOSECONDS);
      seen.thenRun(() -> end.cancel(false));
    } catch (RejectedExecutionException closed) {
      write.giveUp();
    }
    if (executor == null) {
      seen.thenRunAsync(deliver);
    } else {
      seen.thenRunAsync(deliver, executor);
    }
  }

  private final class SeenListener extends SimpleForwardingClientCallListener<S> {
    private @Nullable S response;

    SeenListener(Listener<S> listener) {
      super(listener);
    }

    @Override
    public void onMessage(S message) {
      deliver();
      response = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      Runnable deliver =
          Context.current()
              .wrap(
                  () -> {
                    deliver();
                    super.onClose(status, trailers);
                  });
      if (response == null || !status.isOk()) {
        deliver.run();
      } else {
        whenSeen(response, deliver);
      }
    }

    /** Delivers the response that was received, if there is one. */
    private void deliver() {
      if (response != null) {
        super.onMessage(response);
      }
    }
  }
}
