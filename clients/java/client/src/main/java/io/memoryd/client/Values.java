package io.memoryd.client;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.client.error.WrongTypeException;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;

/** Java values as JSON text, and back. */
final class Values {
  private final ObjectMapper mapper;

  Values(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * Answers Jackson's mapper, told to convert nothing silently: text is no number, a number no
   * text, a fraction no integer. An integer is a {@code double}, too: JSON has but one kind of
   * number.
   */
  static ObjectMapper strictMapper() {
    return JsonMapper.builder()
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .withCoercionConfig(
            LogicalType.Textual,
            text ->
                text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail))
        .build();
  }

  /** Writes a value as JSON text. */
  String write(Object value) {
    String text = value instanceof Json json ? json.text() : encode(value);
    // Protocol Buffers would put a question mark in the place of half a surrogate pair.
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new UnsupportedValueException("the value holds half of a surrogate pair");
    }
    return text;
  }

  /** Reads JSON text that the daemon has checked; {@code key} is for the error. */
  <T> T read(String text, Type type, String key) {
    if (type == Json.class) {
      @SuppressWarnings("unchecked") // T is Json
      T json = (T) new Json(text);
      return json;
    }
    try {
      return mapper.readValue(text, mapper.constructType(type));
    } catch (JsonProcessingException mismatch) {
      throw new WrongTypeException(key, type.getTypeName(), mismatch);
    }
  }

  private String encode(Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = new StrictGenerator(mapper.getFactory().createGenerator(text))) {
      mapper.writeValue(generator, value);
    } catch (IOException unsupported) {
      throw new UnsupportedValueException(
          "the value cannot be written as JSON: " + unsupported.getMessage(), unsupported);
    }
    return text.toString();
  }
}
