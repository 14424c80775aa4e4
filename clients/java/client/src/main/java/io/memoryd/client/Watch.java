package io.memoryd.client;

import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.Event;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Committed events as they happen: each once, in order, also across restarts of the daemon.
 *
 * <pre>{@code
 * try (Watch watch = agent.watch()) {
 *   for (Event event : watch) {
 *     switch (event.getSubjectCase()) {
 *       case ENTRY -> System.out.println(event.getType() + " " + event.getEntry().getKey());
 *       case SCOPE -> System.out.println(event.getType() + " " + event.getScope().getName());
 *       default -> {}
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p>The subject is what an event is about: the ids of a record, the record after the change, which
 * is absent if the change removed it, and the one before it (see {@link
 * WatchOptions#withPrevious}). {@link WorkingMemory#valueAfter(io.memoryd.v1.EntryEvent, Class)}
 * and {@link WorkingMemory#valueBefore(io.memoryd.v1.EntryEvent, Class)} decode the values of an
 * entry. The case is {@code SUBJECT_NOT_SET} if the server is newer than this client and has other
 * subjects.
 *
 * <p>Iterating blocks until the next event. It ends without an error when the watch is closed, from
 * any thread. It throws {@link io.memoryd.client.error.RevisionCompactedException} if the journal
 * no longer retains the next event, {@link io.memoryd.client.error.UnavailableException} if the
 * daemon stays unavailable, {@link io.memoryd.client.error.CancelledException} if the thread is
 * interrupted or the client closed, and another {@link CallFailedException} if the watch is no
 * longer allowed. An error ends the watch.
 *
 * <p>One thread at a time may iterate; all iterators continue after the last event. Messages are
 * requested from the daemon as they are read: a watch that is not read buffers only a few of them.
 */
public final class Watch implements Iterable<Event>, AutoCloseable {
  private final WatchProgress progress;
  private final WatchConnection stream;
  private final Iterator<Event> events = new EventIterator();
  private final Iterator<WatchMessage> messages = new MessageIterator();
  private @Nullable WatchMessage opened;

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

  /** Returns an iterator over the events, which continues after the last event. */
  @Override
  public Iterator<Event> iterator() {
    return events;
  }

  /**
   * Returns the messages with their phases instead of the events alone. Use it from the beginning
   * of the watch, or not at all: the rest of a message whose events are being iterated over is
   * skipped.
   */
  public Iterable<WatchMessage> messages() {
    return () -> messages;
  }

  /**
   * Returns the token with which a later watch continues after the last event that was returned;
   * empty at first. Save it once that event is processed. Within a message of many events it stays
   * at the previous message.
   */
  public String resumeToken() {
    return progress.resumeToken();
  }

  /**
   * Returns the agent's revision up to which all events were returned if the watch is of exactly
   * one agent, else 0.
   */
  public long revision() {
    return progress.revision();
  }

  /**
   * Returns whether the initial state was received completely; true from the start if none was
   * requested.
   */
  public boolean initialStateComplete() {
    return progress.initialStateComplete();
  }

  /** Returns the number of times the watch has reconnected. */
  public int resumes() {
    return progress.resumes();
  }

  /** Ends the watch, from any thread. An iteration over it ends without an error. */
  @Override
  public void close() {
    stream.close();
  }

  /** Returns the next message, or null at the end of the watch. */
  private @Nullable WatchMessage next() {
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
          advanceIfDelivered();
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
      advanceIfDelivered();
      return event;
    }

    /** Advances the resume token once all events of the message are delivered, not before. */
    private void advanceIfDelivered() {
      if (index == message.getEventsCount()) {
        progress.delivered(message);
      }
    }
  }

  private final class MessageIterator implements Iterator<WatchMessage> {
    private @Nullable WatchMessage received;

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
