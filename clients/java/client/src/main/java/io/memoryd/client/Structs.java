package io.memoryd.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;

/** Conversion of JSON objects to the messages of an entry's metadata. */
final class Structs {
  private Structs() {}

  static Struct of(ObjectNode object) {
    Struct.Builder struct = Struct.newBuilder();
    object.properties().forEach(field -> struct.putFields(field.getKey(), value(field.getValue())));
    return struct.build();
  }

  private static Value value(JsonNode node) {
    Value.Builder value = Value.newBuilder();
    return switch (node.getNodeType()) {
      case OBJECT -> value.setStructValue(of((ObjectNode) node)).build();
      case ARRAY -> {
        ListValue.Builder list = ListValue.newBuilder();
        node.forEach(item -> list.addValues(value(item)));
        yield value.setListValue(list).build();
      }
      case NUMBER -> value.setNumberValue(node.doubleValue()).build();
      case BOOLEAN -> value.setBoolValue(node.booleanValue()).build();
      case NULL, MISSING -> value.setNullValue(NullValue.NULL_VALUE).build();
      case STRING, BINARY, POJO -> value.setStringValue(node.asText()).build();
    };
  }
}
