package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.client.error.WrongTypeException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValuesTest {
  private final Values values = new Values(Values.strictMapper());

  record Plan(String goal, List<String> steps) {}

  @Test
  void aValueIsWrittenAsJacksonDoes() {
    assertEquals("{\"goal\":\"g\",\"steps\":[\"é\"]}", values.write(new Plan("g", List.of("é"))));
    assertEquals("null", values.write(null));
  }

  @Test
  void aValueIsReadAsTheRequestedType() {
    Plan plan = new Plan("g", List.of("s"));
    assertEquals(plan, read(values.write(plan), Plan.class));
    assertEquals(
        List.of(plan),
        values.read(
            values.write(List.of(plan)), new TypeReference<List<Plan>>() {}.getType(), "k"));
  }

  @Test
  void integersKeepAllTheirDigits() {
    assertEquals(Long.MAX_VALUE, read("9223372036854775807", Object.class));
    BigInteger beyond = new BigInteger("12345678901234567890123");
    assertEquals(beyond, read(beyond.toString(), Object.class));
    assertEquals(beyond.toString(), values.write(read(beyond.toString(), JsonNode.class)));
  }

  @Test
  void anIntegerIsADoubleToo() {
    assertEquals(3.0, read("3", Double.class));
  }

  @Test
  void rawJsonStaysByteForByte() {
    String text = "{ \"b\":1.0, \"a\" : 1e5 }";
    assertEquals(text, values.write(new Json(text)));
    assertEquals(new Json(text), read(text, Json.class));
  }

  @Test
  void aJsonNullIsNull() {
    assertNull(read("null", String.class));
  }

  static Stream<Arguments> mismatches() {
    return Stream.of(
        Arguments.of("\"5\"", Integer.class),
        Arguments.of("1.5", Integer.class),
        Arguments.of("true", Integer.class),
        Arguments.of("1", Boolean.class),
        Arguments.of("5", String.class),
        Arguments.of("2147483648", Integer.class),
        Arguments.of("[]", Map.class),
        Arguments.of("{\"other\":1}", Plan.class));
  }

  @ParameterizedTest
  @MethodSource("mismatches")
  void aValueOfAnotherTypeIsNotConverted(String text, Class<?> type) {
    WrongTypeException error = assertThrows(WrongTypeException.class, () -> read(text, type));
    assertEquals("k", error.key());
  }

  static Stream<Object> unsupported() {
    return Stream.of(
        Double.NaN,
        Float.POSITIVE_INFINITY,
        new double[] {1, Double.NEGATIVE_INFINITY},
        Map.of("deep", List.of(Double.NaN)),
        DoubleNode.valueOf(Double.NaN),
        "\ud800",
        new Object());
  }

  @ParameterizedTest
  @MethodSource("unsupported")
  void aValueThatJsonCannotRepresentIsRefused(Object value) {
    assertThrows(UnsupportedValueException.class, () -> values.write(value));
  }

  private <T> T read(String text, Class<T> type) {
    return values.read(text, type, "k");
  }
}
