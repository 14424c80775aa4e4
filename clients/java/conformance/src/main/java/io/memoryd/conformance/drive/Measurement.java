package io.memoryd.conformance.drive;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memoryd.client.Agent;
import io.memoryd.client.ComposeContextOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.NearCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures the time of calls. The callers are threads. */
final class Measurement {
  private static final int WARM_UP_CALLS = 100;
  private static final int VALUE_BYTES = 200;
  private static final String KEY = "measured";
  private static final Duration BATCHING_WINDOW = Duration.ofMillis(1);
  private static final String CONVERSATION = "measured";
  private static final String QUOTES = "\"\"";

  private Measurement() {}

  static ObjectNode run(Session session, Arguments arguments) {
    String name = arguments.text("call");
    if (name.equals("near_get")) {
      return near(session.agent(arguments), arguments.number("calls"));
    }
    if (arguments.flag("batching")) {
      try (MemorydClient client = session.batching(BATCHING_WINDOW)) {
        return run(call(client.agent(arguments.text("agent")), name), arguments);
      }
    }
    return run(call(session.agent(arguments), name), arguments);
  }

  private static ObjectNode run(Runnable call, Arguments arguments) {
    int callers = Math.max(arguments.line().path("callers").asInt(), 1);
    together(call, WARM_UP_CALLS, callers);
    long begun = System.nanoTime();
    List<Double> durations = together(call, arguments.number("calls"), callers);
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.put("total_s", secondsSince(begun));
    ArrayNode each = result.putArray("each_s");
    durations.forEach(each::add);
    return result;
  }

  /** Measures all reads of a near cache at once: one takes about as long as reading the clock. */
  private static ObjectNode near(Agent agent, int calls) {
    try (NearCache cache = agent.nearCache()) {
      read(cache, WARM_UP_CALLS);
      long begun = System.nanoTime();
      read(cache, calls);
      ObjectNode result = JsonNodeFactory.instance.objectNode();
      result.put("total_s", secondsSince(begun));
      result.putArray("each_s");
      return result;
    }
  }

  private static void read(NearCache cache, int calls) {
    for (int done = 0; done < calls; done++) {
      cache.get(KEY, String.class);
    }
  }

  private static Runnable call(Agent agent, String name) {
    String value = "x".repeat(VALUE_BYTES - QUOTES.length());
    ComposeContextOptions options = ComposeContextOptions.DEFAULT.withConversationId(CONVERSATION);
    return switch (name) {
      case "set" -> () -> agent.set(KEY, value);
      case "get" -> () -> agent.get(KEY);
      case "recall" -> () -> agent.memories().recall("Who signed the lease?");
      case "compose" -> () -> agent.compose(options);
      default -> throw new IllegalArgumentException("there is no call " + name);
    };
  }

  /** Has callers make {@code calls} calls, and returns the seconds of each. */
  private static List<Double> together(Runnable call, int calls, int callers) {
    AtomicInteger left = new AtomicInteger(calls);
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      List<CompletableFuture<List<Double>>> running = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        running.add(CompletableFuture.supplyAsync(() -> oneAfterTheOther(call, left), threads));
      }
      List<Double> durations = new ArrayList<>(calls);
      running.forEach(each -> durations.addAll(each.join()));
      return durations;
    } finally {
      threads.shutdown();
    }
  }

  private static List<Double> oneAfterTheOther(Runnable call, AtomicInteger left) {
    List<Double> durations = new ArrayList<>();
    while (left.getAndDecrement() > 0) {
      long begun = System.nanoTime();
      call.run();
      durations.add(secondsSince(begun));
    }
    return durations;
  }

  private static double secondsSince(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }
}
