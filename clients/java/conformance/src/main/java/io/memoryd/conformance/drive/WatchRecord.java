package io.memoryd.conformance.drive;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memoryd.client.Watch;
import io.memoryd.client.error.MemorydException;
import io.memoryd.v1.Event;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Collects the events of a watch in a thread. */
final class WatchRecord implements AutoCloseable {
  private final Watch watch;
  private final ArrayNode events = JsonNodeFactory.instance.arrayNode();
  private MemorydException failure;
  private String resumeToken = "";

  private WatchRecord(Watch watch) {
    this.watch = watch;
  }

  static WatchRecord begin(Watch watch) {
    WatchRecord record = new WatchRecord(watch);
    Thread reader = new Thread(record::read, "watch-record");
    reader.setDaemon(true);
    reader.start();
    return record;
  }

  /** Waits until {@code count} events were received in all. Throws the error of a failed watch. */
  synchronized ObjectNode await(int count, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (events.size() < count && failure == null) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        break;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    if (failure != null) {
      throw failure;
    }
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.set("events", events.deepCopy());
    return answer.put("resumes", watch.resumes()).put("resume_token", resumeToken);
  }

  @Override
  public void close() {
    watch.close();
  }

  private void read() {
    try {
      for (Event event : watch) {
        add(event);
      }
    } catch (MemorydException failed) {
      fail(failed);
    }
  }

  private synchronized void add(Event event) {
    events
        .addObject()
        .put("revision", event.getRevision())
        .put("index", event.getIndex())
        .put("type", event.getType().name())
        .put("key", event.getEntry().getKey());
    resumeToken = watch.resumeToken();
    notifyAll();
  }

  private synchronized void fail(MemorydException failed) {
    failure = failed;
    notifyAll();
  }
}
