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
import org.jspecify.annotations.Nullable;

/** Conversion of Java values to JSON text and back. */
final class Values {
  private final ObjectMapper mapper;

  Values(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * Returns a Jackson mapper that refuses to convert between types: text is not a number, a number
   * not text, a fraction not an integer. An integer is also a {@code double}, because JSON has only
   * one kind of number.
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

  /** Encodes a value as JSON text. */
  String write(@Nullable Object value) {
    String text = value instanceof Json json ? json.text() : encode(value);
    // Protocol Buffers would replace a lone surrogate by a question mark.
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new UnsupportedValueException("the value contains a lone surrogate");
    }
    return text;
  }

  /** Decodes JSON text that the daemon has checked. {@code key} is for the error. */
  <T> @Nullable T read(String text, Type type, String key) {
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

  private String encode(@Nullable Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = new StrictGenerator(mapper.getFactory().createGenerator(text))) {
      mapper.writeValue(generator, value);
    } catch (IOException unsupported) {
      throw new UnsupportedValueException(
          "the value cannot be encoded as JSON: " + unsupported.getMessage(), unsupported);
    }
    return text.toString();
  }
}
