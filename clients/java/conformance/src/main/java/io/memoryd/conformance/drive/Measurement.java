package io.memoryd.conformance.drive;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memoryd.client.Agent;

/** Measures the time of consecutive calls. */
final class Measurement {
  private static final int WARM_UP_CALLS = 100;
  private static final int VALUE_BYTES = 200;
  private static final String KEY = "measured";
  private static final String QUOTES = "\"\"";

  private Measurement() {}

  static ObjectNode run(Session session, Arguments arguments) {
    Agent agent = session.agent(arguments);
    String value = "x".repeat(VALUE_BYTES - QUOTES.length());
    int calls = arguments.number("calls");
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.set("set_s", durations(calls, () -> agent.set(KEY, value)));
    result.set("get_s", durations(calls, () -> agent.get(KEY)));
    return result;
  }

  /** Returns the seconds that each of {@code calls} calls took, after calls to warm up. */
  private static ArrayNode durations(int calls, Runnable call) {
    for (int made = 0; made < WARM_UP_CALLS; made++) {
      call.run();
    }
    ArrayNode durations = JsonNodeFactory.instance.arrayNode(calls);
    for (int made = 0; made < calls; made++) {
      long begun = System.nanoTime();
      call.run();
      durations.add((System.nanoTime() - begun) / 1e9);
    }
    return durations;
  }
}
