package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Plays the steps of one scenario. Its watches end with it. */
final class Player implements AutoCloseable {
  static final Duration CALL = Duration.ofSeconds(30);

  private static final JsonNode EMPTY = JsonNodeFactory.instance.objectNode();

  private final Channel channel;
  private final Wrapped wrapped;
  private final Map<String, OpenWatch> watches = new ConcurrentHashMap<>();

  Player(Channel channel, Wrapped wrapped) {
    this.channel = channel;
    this.wrapped = wrapped;
  }

  void play(JsonNode steps, Variables variables) {
    if (!steps.isArray()) {
      throw new ScenarioFailure("steps must be a sequence");
    }
    for (int index = 0; index < steps.size(); index++) {
      JsonNode step = steps.get(index);
      try {
        playStep(step, variables);
      } catch (ScenarioFailure failure) {
        throw failure.at("step " + (index + 1) + ", " + name(step));
      }
    }
  }

  @Override
  public void close() {
    watches.values().forEach(OpenWatch::close);
  }

  private void playStep(JsonNode step, Variables variables) {
    if (step.has("call")) {
      allow(step, Set.of("call", "request", "response", "error", "save"));
      call(step, variables);
    } else if (step.has("watch")) {
      allow(step, Set.of("watch", "request", "error"));
      watch(step, variables);
    } else if (step.has("events")) {
      allow(step, Set.of("events", "expect"));
      watchOf(step).expect(variables.resolveExpected(required(step, "expect")));
    } else if (step.has("repeat")) {
      allow(step, Set.of("repeat", "steps"));
      repeat(step, variables);
    } else if (step.has("tasks")) {
      allow(step, Set.of("tasks", "steps"));
      int count = required(step, "tasks").intValue();
      Tasks.run(count, task -> play(required(step, "steps"), with(variables.copy(), "task", task)));
    } else {
      throw new ScenarioFailure("not a step");
    }
  }

  private void call(JsonNode step, Variables variables) {
    MethodDescriptor<Message, Message> method = Methods.unary(step.get("call").asText());
    Message request = Methods.request(method, request(step, variables));
    Message answer;
    try {
      answer = wrapped.call(method, request).orElseGet(() -> send(method, request));
    } catch (CallFailedException failed) {
      checkError(step, variables, CallError.json(failed), failed.getMessage());
      return;
    } catch (StatusRuntimeException failed) {
      checkError(step, variables, failed.getStatus(), failed.getTrailers());
      return;
    }
    if (step.has("error")) {
      throw new ScenarioFailure("expected an error, but it succeeded");
    }
    JsonNode response = Methods.json(answer);
    JsonNode expected = step.has("response") ? step.get("response") : EMPTY;
    Comparison.check("", variables.resolveExpected(expected), response);
    step.path("save").properties().forEach(saved -> save(saved, response, variables));
  }

  private Message send(MethodDescriptor<Message, Message> method, Message request) {
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(CALL);
    return ClientCalls.blockingUnaryCall(channel, method, options, request);
  }

  private void watch(JsonNode step, Variables variables) {
    JsonNode json = request(step, variables);
    WatchEventsRequest request =
        (WatchEventsRequest) Methods.message(WatchEventsRequest.getDefaultInstance(), json);
    OpenWatch watch = new OpenWatch(channel, request);
    OpenWatch earlier = watches.put(step.get("watch").asText(), watch);
    if (earlier != null) {
      earlier.close();
    }
    try {
      watch.open();
    } catch (StatusException failed) {
      checkError(step, variables, failed.getStatus(), failed.getTrailers());
      return;
    }
    if (step.has("error")) {
      throw new ScenarioFailure("expected an error, but it opened");
    }
  }

  private OpenWatch watchOf(JsonNode step) {
    String name = step.get("events").asText();
    OpenWatch watch = watches.get(name);
    if (watch == null) {
      throw new ScenarioFailure("there is no watch " + name);
    }
    return watch;
  }

  private void repeat(JsonNode step, Variables variables) {
    int count = required(step, "repeat").intValue();
    for (int n = 0; n < count; n++) {
      play(required(step, "steps"), with(variables, "n", n));
    }
  }

  private static void checkError(
      JsonNode step, Variables variables, Status status, Metadata trailers) {
    checkError(step, variables, CallError.json(status, trailers), status.getDescription());
  }

  private static void checkError(
      JsonNode step, Variables variables, JsonNode error, String message) {
    JsonNode expected = step.get("error");
    if (expected == null) {
      throw new ScenarioFailure("it failed with " + error + " " + message);
    }
    allow(expected, Set.of("code", "reason", "metadata", "field"));
    Comparison.check("error", variables.resolveExpected(expected), error);
  }

  private static void save(
      Map.Entry<String, JsonNode> saved, JsonNode response, Variables variables) {
    JsonNode found = response;
    for (String name : saved.getValue().asText().split("\\.")) {
      found = found.isArray() ? found.path(Integer.parseInt(name)) : found.path(name);
    }
    if (!found.isValueNode()) {
      throw new ScenarioFailure("there is no value to save at " + saved.getValue().asText());
    }
    variables.put(saved.getKey(), found.asText());
  }

  private static JsonNode request(JsonNode step, Variables variables) {
    return variables.resolve(step.has("request") ? step.get("request") : EMPTY);
  }

  private static Variables with(Variables variables, String name, int number) {
    variables.put(name, String.valueOf(number));
    return variables;
  }

  private static JsonNode required(JsonNode step, String name) {
    if (!step.has(name)) {
      throw new ScenarioFailure("it has no " + name);
    }
    return step.get(name);
  }

  private static void allow(JsonNode mapping, Set<String> names) {
    mapping
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!names.contains(name)) {
                throw new ScenarioFailure("unknown key " + name);
              }
            });
  }

  private static String name(JsonNode step) {
    return step.properties().stream()
        .findFirst()
        .map(first -> first.getKey() + " " + first.getValue().asText())
        .orElse("empty");
  }
}
