package io.memoryd.conformance.drive;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;

/** The arguments of a command. */
record Arguments(JsonNode line) {
  String text(String name) {
    return optionalText(name)
        .orElseThrow(() -> new IllegalArgumentException("the command has no " + name));
  }

  Optional<String> optionalText(String name) {
    return Optional.ofNullable(line.get(name)).filter(JsonNode::isTextual).map(JsonNode::asText);
  }

  int number(String name) {
    return line.required(name).intValue();
  }

  boolean flag(String name) {
    return line.path(name).asBoolean();
  }

  Optional<Duration> seconds(String name) {
    return Optional.ofNullable(line.get(name))
        .filter(JsonNode::isNumber)
        .map(seconds -> Duration.ofNanos((long) (seconds.doubleValue() * 1e9)));
  }
}
