package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.api.FieldBehavior;
import com.google.api.FieldBehaviorProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Fills the options and inputs of the client with what messages have. */
final class Setters {
  private static final String PACKAGE = "io.memoryd.client.";
  private static final ObjectMapper JSON = new ObjectMapper();

  private Setters() {}

  /** Returns a class of the client. */
  static Class<?> type(String name) {
    try {
      return Class.forName(PACKAGE + name);
    } catch (ClassNotFoundException missing) {
      throw new AssertionError(missing);
    }
  }

  /** Returns what a class has as its default. */
  static Object empty(Class<?> type) {
    try {
      return type.getField("DEFAULT").get(null);
    } catch (ReflectiveOperationException missing) {
      throw new AssertionError(missing);
    }
  }

  /** Returns a copy of the target with a field. */
  static Object set(Object target, FieldDescriptor field, Object value) {
    String name = "with" + pascal(field.getName());
    for (Method each : target.getClass().getMethods()) {
      if (!each.getName().equals(name)) {
        continue;
      }
      if (each.getParameterCount() == 0) {
        if (value.equals(false)) {
          throw new Unsayable("a flag that is false");
        }
        return invoke(each, target);
      }
      Class<?> type = each.getParameterTypes()[0];
      if (accepts(field, type)) {
        return invoke(each, target, value(field, value, type));
      }
    }
    throw new Unsayable("there is no " + name);
  }

  /** Calls a method of the target. */
  static Object call(Object target, String name, Object... values) {
    for (Method each : target.getClass().getMethods()) {
      if (each.getName().equals(name) && each.getParameterCount() == values.length) {
        return invoke(each, target, values);
      }
    }
    throw new Unsayable("there is no " + name);
  }

  /** Returns a value of a field as one of a parameter's type. */
  static Object value(FieldDescriptor field, Object value, Class<?> type) {
    if (!field.isRepeated()) {
      return single(field, value);
    }
    List<Object> values = new ArrayList<>();
    ((List<?>) value).forEach(each -> values.add(single(field, each)));
    return type == float[].class ? floats(values) : values;
  }

  static String pascal(String name) {
    return Arrays.stream(name.split("_"))
        .map(each -> each.substring(0, 1).toUpperCase() + each.substring(1))
        .collect(Collectors.joining());
  }

  private static boolean accepts(FieldDescriptor field, Class<?> type) {
    if (field.isRepeated()) {
      return type == Collection.class || type == float[].class;
    }
    return switch (field.getJavaType()) {
      case MESSAGE -> type == typeOf(field);
      case ENUM -> type.isEnum();
      case BYTE_STRING -> type == byte[].class;
      default -> type == String.class || type.isPrimitive();
    };
  }

  private static Class<?> typeOf(FieldDescriptor field) {
    return switch (field.getMessageType().getFullName()) {
      case "google.protobuf.Struct" -> Map.class;
      case "google.protobuf.Value" -> Object.class;
      case "google.protobuf.ListValue" -> Collection.class;
      case "google.protobuf.Timestamp" -> Instant.class;
      case "google.protobuf.Duration" -> Duration.class;
      default -> type(field.getMessageType().getName().replaceFirst("Draft$", "") + "Input");
    };
  }

  private static Object single(FieldDescriptor field, Object value) {
    if (value instanceof ByteString bytes) {
      return bytes.toByteArray();
    }
    if (value instanceof EnumValueDescriptor constant) {
      return constant(field, constant);
    }
    return value instanceof Message message ? converted(field, message) : value;
  }

  private static Object constant(FieldDescriptor field, EnumValueDescriptor constant) {
    String type = "io.memoryd.v1." + field.getEnumType().getName();
    try {
      Object found =
          Class.forName(type).getMethod("forNumber", int.class).invoke(null, constant.getNumber());
      if (found == null) {
        throw new Unsayable("a constant that there is not");
      }
      return found;
    } catch (ReflectiveOperationException missing) {
      throw new AssertionError(missing);
    }
  }

  private static Object converted(FieldDescriptor field, Message message) {
    if (message instanceof Timestamp time) {
      return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }
    if (message instanceof com.google.protobuf.Duration duration) {
      return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
    if (message instanceof Struct || message instanceof Value || message instanceof ListValue) {
      try {
        return JSON.readValue(JsonFormat.printer().print(message), Object.class);
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }
    return input(typeOf(field), message);
  }

  /** Returns an input with the fields of a message. */
  private static Object input(Class<?> type, Message message) {
    List<FieldDescriptor> required =
        message.getDescriptorForType().getFields().stream().filter(Setters::isRequired).toList();
    Object input = required.isEmpty() ? empty(type) : of(type, message, required);
    for (Map.Entry<FieldDescriptor, Object> each : message.getAllFields().entrySet()) {
      if (!required.contains(each.getKey())) {
        input = set(input, each.getKey(), each.getValue());
      }
    }
    return input;
  }

  private static Object of(Class<?> type, Message message, List<FieldDescriptor> required) {
    Method of =
        Stream.of(type.getMethods())
            .filter(each -> each.getName().equals("of"))
            .findFirst()
            .orElseThrow(() -> new AssertionError("there is no " + type + ".of"));
    List<Object> values = new ArrayList<>();
    for (FieldDescriptor each : required) {
      values.add(value(each, message.getField(each), of.getParameterTypes()[values.size()]));
    }
    return invoke(of, null, values.toArray());
  }

  private static boolean isRequired(FieldDescriptor field) {
    return field
        .getOptions()
        .getExtension(FieldBehaviorProto.fieldBehavior)
        .contains(FieldBehavior.REQUIRED);
  }

  private static float[] floats(List<Object> values) {
    float[] numbers = new float[values.size()];
    for (int index = 0; index < numbers.length; index++) {
      numbers[index] = (Float) values.get(index);
    }
    return numbers;
  }

  private static Object invoke(Method method, Object target, Object... values) {
    try {
      return method.invoke(target, values);
    } catch (InvocationTargetException failed) {
      if (failed.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      throw new AssertionError(failed);
    } catch (IllegalAccessException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
