package io.memoryd.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.memoryd.client.error.UnsupportedValueException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Conversion of values to the messages of metadata and of conditions on them. */
final class Structs {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Structs() {}

  /** Returns whether a message is JSON: a value, an object or a list. */
  static boolean isJson(Message message) {
    return message instanceof Value || message instanceof Struct || message instanceof ListValue;
  }

  /**
   * Returns the message of a value, an object or a list.
   *
   * @param name what it is, for the error
   * @param empty a message of the type to return
   * @throws UnsupportedValueException if JSON cannot represent the value
   */
  static Message of(String name, Message empty, @Nullable Object value) {
    if (!(empty instanceof Value)) {
      // Only a value may be a JSON null.
      Objects.requireNonNull(value, name);
    }
    JsonNode node;
    try {
      node = MAPPER.valueToTree(value);
    } catch (IllegalArgumentException unsupported) {
      throw new UnsupportedValueException(
          "the " + name + " cannot be encoded as JSON: " + unsupported.getMessage(), unsupported);
    }
    Value converted = value(node);
    if (empty instanceof Value) {
      return converted;
    }
    return empty instanceof Struct ? converted.getStructValue() : converted.getListValue();
  }

  private static Struct object(ObjectNode object) {
    Struct.Builder struct = Struct.newBuilder();
    object.properties().forEach(field -> struct.putFields(field.getKey(), value(field.getValue())));
    return struct.build();
  }

  private static Value value(JsonNode node) {
    Value.Builder value = Value.newBuilder();
    return switch (node.getNodeType()) {
      case OBJECT -> value.setStructValue(object((ObjectNode) node)).build();
      case ARRAY -> {
        ListValue.Builder list = ListValue.newBuilder();
        node.forEach(item -> list.addValues(value(item)));
        yield value.setListValue(list).build();
      }
      case NUMBER -> value.setNumberValue(finite(node.doubleValue())).build();
      case BOOLEAN -> value.setBoolValue(node.booleanValue()).build();
      case NULL, MISSING -> value.setNullValue(NullValue.NULL_VALUE).build();
      case STRING, BINARY, POJO -> value.setStringValue(node.asText()).build();
    };
  }

  private static double finite(double number) {
    if (!Double.isFinite(number)) {
      throw new UnsupportedValueException("JSON has no number " + number);
    }
    return number;
  }
}
