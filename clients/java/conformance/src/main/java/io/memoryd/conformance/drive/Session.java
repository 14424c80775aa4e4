package io.memoryd.conformance.drive;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The state between commands: the client and its watches. */
final class Session implements AutoCloseable {
  private final Map<String, WatchRecord> watches = new HashMap<>();
  private MemorydClient client;
  private String target = "";

  void use(MemorydClient connected, String address) {
    close();
    client = connected;
    target = address;
  }

  /** Returns a client of the same daemon that sends calls together. */
  MemorydClient batching(Duration window) {
    return MemorydClient.builder().address(target).batching(window).connect();
  }

  Agent agent(Arguments arguments) {
    if (client == null) {
      throw new IllegalStateException("there is no client: connect first");
    }
    return client.agent(arguments.text("agent"));
  }

  void put(String name, WatchRecord watch) {
    WatchRecord earlier = watches.put(name, watch);
    if (earlier != null) {
      earlier.close();
    }
  }

  WatchRecord watch(String name) {
    WatchRecord watch = watches.get(name);
    if (watch == null) {
      throw new IllegalArgumentException("there is no watch " + name);
    }
    return watch;
  }

  void unwatch(String name) {
    watch(name).close();
    watches.remove(name);
  }

  @Override
  public void close() {
    watches.values().forEach(WatchRecord::close);
    watches.clear();
    if (client != null) {
      client.close();
    }
  }
}
