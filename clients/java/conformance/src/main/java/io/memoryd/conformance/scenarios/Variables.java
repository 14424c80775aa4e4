package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The saved values of a scenario, or of one of its tasks, under their names. */
final class Variables {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]*)\\}");

  private final Map<String, String> values;

  Variables(Map<String, String> values) {
    this.values = new HashMap<>(values);
  }

  Variables copy() {
    return new Variables(values);
  }

  void put(String name, String value) {
    values.put(name, value);
  }

  /** Returns the node with all names replaced by their values. */
  JsonNode resolve(JsonNode node) {
    return resolve(node, Set.of());
  }

  /**
   * Returns the node with all names replaced by their values, except the symbols of comparisons.
   */
  JsonNode resolveExpected(JsonNode node) {
    return resolve(node, Comparison.SYMBOLS);
  }

  private JsonNode resolve(JsonNode node, Set<String> kept) {
    if (node.isTextual() && !kept.contains(node.textValue())) {
      return JsonNodeFactory.instance.textNode(resolve(node.textValue()));
    }
    if (node.isArray()) {
      ArrayNode resolved = JsonNodeFactory.instance.arrayNode();
      node.forEach(item -> resolved.add(resolve(item, kept)));
      return resolved;
    }
    if (node.isObject()) {
      ObjectNode resolved = JsonNodeFactory.instance.objectNode();
      node.properties()
          .forEach(field -> resolved.set(field.getKey(), resolve(field.getValue(), kept)));
      return resolved;
    }
    return node;
  }

  private String resolve(String text) {
    return REFERENCE
        .matcher(text)
        .replaceAll(reference -> Matcher.quoteReplacement(value(reference.group(1))));
  }

  private String value(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new ScenarioFailure("there is no variable " + name);
    }
    return value;
  }
}
