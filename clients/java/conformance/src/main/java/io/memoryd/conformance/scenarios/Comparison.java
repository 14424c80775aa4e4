package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.math.BigDecimal;
import java.util.Set;

/** Compares expected values with actual ones. */
final class Comparison {
  private static final String PRESENT = "${present}";
  private static final String ABSENT = "${absent}";

  /** The strings with a special meaning. */
  static final Set<String> SYMBOLS = Set.of(PRESENT, ABSENT);

  private Comparison() {}

  /** Checks that the actual value matches the expected one. {@code path} is its place. */
  static void check(String path, JsonNode expected, JsonNode actual) {
    if (expected.isTextual() && SYMBOLS.contains(expected.textValue())) {
      checkSymbol(path, expected.textValue(), actual);
    } else if (expected.isObject()) {
      require(path, actual.isObject(), expected, actual);
      expected
          .properties()
          .forEach(
              field -> {
                JsonNode found = actual.path(field.getKey());
                check(join(path, field.getKey()), field.getValue(), found);
              });
    } else if (expected.isArray()) {
      require(path, actual.isArray() && actual.size() == expected.size(), expected, actual);
      for (int index = 0; index < expected.size(); index++) {
        check(join(path, String.valueOf(index)), expected.get(index), actual.get(index));
      }
    } else if (expected.isNumber()) {
      require(path, actual.isNumber() && sameNumber(expected, actual), expected, actual);
    } else {
      require(path, expected.equals(actual), expected, actual);
    }
  }

  private static void checkSymbol(String path, String symbol, JsonNode actual) {
    boolean holds = symbol.equals(ABSENT) ? actual.isMissingNode() : !isEmpty(actual);
    if (!holds) {
      throw failure(path, symbol.equals(ABSENT) ? "nothing" : "something", actual);
    }
  }

  private static boolean isEmpty(JsonNode node) {
    if (node.isMissingNode() || node.isNull()) {
      return true;
    }
    if (node.isContainerNode()) {
      return node.isEmpty();
    }
    // A 64-bit integer is a string in JSON.
    boolean zero = node.isNumber() ? node.decimalValue().signum() == 0 : node.asText().equals("0");
    return zero || node.asText().isEmpty() || node.isBoolean() && !node.booleanValue();
  }

  private static boolean sameNumber(JsonNode expected, JsonNode actual) {
    BigDecimal number = expected.decimalValue();
    return number.compareTo(actual.decimalValue()) == 0;
  }

  private static void require(String path, boolean holds, JsonNode expected, JsonNode actual) {
    if (!holds) {
      throw failure(path, expected.toString(), actual);
    }
  }

  private static ScenarioFailure failure(String path, String expected, JsonNode actual) {
    String got = actual instanceof MissingNode ? "nothing" : actual.toString();
    return new ScenarioFailure(path + ": expected " + expected + ", got " + got);
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
