package io.memoryd.client;

import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.Event;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Committed events as they happen: each once, in order, also across restarts of the daemon.
 *
 * <pre>{@code
 * try (Watch watch = agent.watch()) {
 *   for (Event event : watch) {
 *     System.out.println(event.getType() + " " + event.getKey());
 *   }
 * }
 * }</pre>
 *
 * <p>Iterating blocks until the next event. It ends without an error when the watch is closed, from
 * any thread, and throws {@link io.memoryd.client.error.RevisionCompactedException} when the
 * journal no longer has what comes next, {@link io.memoryd.client.error.UnavailableException} when
 * the daemon stays away, {@link io.memoryd.client.error.CancelledException} when the thread is
 * interrupted or the client closed, and other {@link CallFailedException} for a watch that is no
 * longer allowed. After that it has ended, too.
 *
 * <p>One thread iterates at a time; all iterators go on where the last one was. The daemon is asked
 * for each message when it is needed: a watch that is not read holds no more than a few of them.
 */
public final class Watch implements Iterable<Event>, AutoCloseable {
  private final WatchProgress progress;
  private final WatchConnection stream;
  private final Iterator<Event> events = new EventIterator();
  private final Iterator<WatchMessage> messages = new MessageIterator();
  private WatchMessage opened;

  private Watch(WatchProgress progress, WatchConnection stream) {
    this.progress = progress;
    this.stream = stream;
  }

  static Watch begin(Connection connection, WatchEventsRequest request, Duration outageMax) {
    WatchProgress progress =
        new WatchProgress(
            request,
            connection.settings().connectTimeout(),
            outageMax,
            System::nanoTime,
            new Backoff(
                WatchProgress.LONGEST_DELAY, () -> ThreadLocalRandom.current().nextDouble()));
    Watch watch = new Watch(progress, new WatchConnection(connection, progress));
    watch.opened = watch.stream.next();
    return watch;
  }

  /** Answers the events from where the last iterator was. */
  @Override
  public Iterator<Event> iterator() {
    return events;
  }

  /**
   * Answers the messages with their phases instead of the events alone. Use it from the beginning
   * of the watch on, or not at all: the rest of a message whose events are being iterated over is
   * not told again.
   */
  public Iterable<WatchMessage> messages() {
    return () -> messages;
  }

  /**
   * The token that continues after the last event that was handed over, for a later watch; empty at
   * first. Keep it once that event is dealt with. Inside a message of many events it stays at the
   * one before.
   */
  public String resumeToken() {
    return progress.resumeToken();
  }

  /** The agent's revision up to which all was told, when one agent is watched, else 0. */
  public long revision() {
    return progress.revision();
  }

  /**
   * Whether what was there at the start has been told; true from the start when that was not asked
   * for.
   */
  public boolean initialStateComplete() {
    return progress.initialStateComplete();
  }

  /** How often the watch has connected again. */
  public int resumes() {
    return progress.resumes();
  }

  /** Ends the watch, from any thread. Who iterates over it sees its end. */
  @Override
  public void close() {
    stream.close();
  }

  /** Answers the next message, or null at the end of the watch. */
  private WatchMessage next() {
    if (opened != null) {
      WatchMessage first = opened;
      opened = null;
      return first;
    }
    return stream.next();
  }

  private final class EventIterator implements Iterator<Event> {
    private WatchEventsResponse message = WatchEventsResponse.getDefaultInstance();
    private int index;

    @Override
    public boolean hasNext() {
      while (index == message.getEventsCount() && !stream.isClosed()) {
        WatchMessage received = Watch.this.next();
        if (received instanceof WatchMessage.Received next) {
          message = next.response();
          index = 0;
          noteWhenDelivered();
        }
      }
      return !stream.isClosed();
    }

    @Override
    public Event next() {
      if (!hasNext()) {
        throw new NoSuchElementException("the watch has ended");
      }
      Event event = message.getEvents(index++);
      noteWhenDelivered();
      return event;
    }

    private void noteWhenDelivered() {
      if (index == message.getEventsCount()) {
        progress.delivered(message);
      }
    }
  }

  private final class MessageIterator implements Iterator<WatchMessage> {
    private WatchMessage received;

    @Override
    public boolean hasNext() {
      if (received == null) {
        received = Watch.this.next();
      }
      return received != null;
    }

    @Override
    public WatchMessage next() {
      if (!hasNext()) {
        throw new NoSuchElementException("the watch has ended");
      }
      WatchMessage message = received;
      received = null;
      if (message instanceof WatchMessage.Received delivered) {
        progress.delivered(delivered.response());
      }
      return message;
    }
  }
}
