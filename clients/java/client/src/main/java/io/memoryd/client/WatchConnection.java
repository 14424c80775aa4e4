package io.memoryd.client;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.EventServiceGrpc;
import io.memoryd.v1.WatchEventsResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The stream of a watch, reopened if it breaks. One thread reads it; any thread may close it. */
final class WatchConnection implements AutoCloseable {
  private static final Logger LOG = System.getLogger(WatchConnection.class.getName());

  private final Connection connection;
  private final WatchProgress progress;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Iterator<WatchEventsResponse> responses;
  private Context.@Nullable CancellableContext stream;

  WatchConnection(Connection connection, WatchProgress progress) {
    this.connection = connection;
    this.progress = progress;
  }

  /** Waits for the next message. Returns null once the watch is closed. An error closes it. */
  @Nullable WatchMessage next() {
    try {
      while (!isClosed()) {
        try {
          WatchEventsResponse response = receive();
          progress.receive(response);
          return new WatchMessage.Received(response);
        } catch (StatusRuntimeException thrown) {
          if (isClosed()) {
            return null;
          }
          await(delayAfter(CallFailedException.from(thrown)));
        }
        if (progress.restart()) {
          LOG.log(Level.WARNING, "watch interrupted in its initial state, which begins again");
          return new WatchMessage.Restarted();
        }
      }
      return null;
    } catch (CallFailedException failed) {
      close();
      throw failed;
    }
  }

  boolean isClosed() {
    return closed.getCount() == 0;
  }

  @Override
  public synchronized void close() {
    closed.countDown();
    if (stream != null) {
      stream.cancel(null);
    }
  }

  private WatchEventsResponse receive() {
    if (responses == null) {
      open().run(this::request);
    }
    if (!responses.hasNext()) {
      throw Status.UNAVAILABLE.withDescription("the daemon ended the watch").asRuntimeException();
    }
    return responses.next();
  }

  private void request() {
    responses =
        EventServiceGrpc.newBlockingStub(connection.channel()).watchEvents(progress.request());
  }

  private synchronized Context.CancellableContext open() {
    stream = Context.current().withCancellation();
    if (isClosed()) {
      stream.cancel(null);
    }
    return stream;
  }

  private Duration delayAfter(CallFailedException error) {
    responses = null;
    synchronized (this) {
      stream.cancel(null);
    }
    if (connection.isClosed() || Thread.currentThread().isInterrupted()) {
      throw error;
    }
    Duration delay = progress.lose(error);
    LOG.log(Level.DEBUG, "watch reconnects in {0}: {1}", delay, error.getMessage());
    return delay;
  }

  private void await(Duration delay) {
    try {
      closed.await(delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw CallFailedException.from(
          Status.CANCELLED.withDescription("the thread was interrupted").withCause(interrupted),
          null);
    }
  }
}
