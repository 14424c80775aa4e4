package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls all that is generated, with each option alone. */
@Timeout(60)
class EveryOptionTest {
  @Test
  void everyOptionSetsAFieldOfItsOwn() throws ReflectiveOperationException {
    Set<Class<?>> all = inputs();
    assertTrue(all.size() > 100, all::toString);
    for (Class<?> each : all) {
      Fields<?> empty = (Fields<?>) value(each);
      Map<Object, String> found = new HashMap<>();
      for (Method method : setters(each)) {
        Given given = ((Fields<?>) method.invoke(empty, values(method))).given();
        assertNotEquals(empty.given(), given, method::toString);
        Object changed = List.of(given.message(), given.timeout(), removed(method));
        String other = found.put(changed, method.getName());
        assertTrue(other == null || other.equals(method.getName()), method + " and " + other);
      }
    }
  }

  @Test
  void everyMethodOfEveryKindIsCalledForTheAgent() throws Exception {
    try (RecordingDaemon daemon = new RecordingDaemon()) {
      Set<String> called = new TreeSet<>();
      for (Object kind : kinds(daemon.agent())) {
        for (Method method : methods(kind.getClass())) {
          method.invoke(kind, values(method));
          Message request = daemon.last(Message.class);
          var agent = request.getDescriptorForType().findFieldByName("agent_id");
          assertEquals("a", request.getField(agent), method::toString);
          called.add(request.getDescriptorForType().getName().replaceAll("Request$", ""));
        }
      }
      Set<String> expected = new TreeSet<>();
      RecordingDaemon.KINDS.forEach(
          kind -> kind.getMethods().forEach(each -> expected.add(each.getBareMethodName())));
      // These are called on the stubs.
      expected.removeAll(List.of("CountTokens", "UploadDocument"));
      assertEquals(expected, called);
    }
  }

  @Test
  void optionsAreImmutable() {
    CreateNoteOptions options = CreateNoteOptions.DEFAULT.withNotebook("work");
    options.withNotebook("home").withTags("people");
    assertEquals(CreateNoteOptions.DEFAULT.withNotebook("work").given(), options.given());
    assertNull(CreateNoteOptions.DEFAULT.given().timeout().orElse(null));
  }

  private static List<Object> kinds(Agent agent) {
    return List.of(
        agent.conversations(),
        agent.documents(),
        agent.entities(),
        agent.fragments(),
        agent.memories(),
        agent.notes(),
        agent.plans(),
        new Contexts(agent.connection(), agent.place()));
  }

  private static List<Method> methods(Class<?> kind) {
    return Arrays.stream(kind.getDeclaredMethods())
        .filter(each -> Modifier.isPublic(each.getModifiers()) && !each.isSynthetic())
        .peek(each -> each.setAccessible(true))
        .toList();
  }

  private static List<Method> setters(Class<?> input) {
    return Stream.concat(
            Arrays.stream(input.getDeclaredMethods()),
            Arrays.stream(input.getSuperclass().getDeclaredMethods()))
        .filter(each -> Modifier.isPublic(each.getModifiers()) && each.getName().startsWith("with"))
        .filter(each -> !each.isSynthetic())
        .toList();
  }

  /** Returns the classes that methods take, and those that these take in turn. */
  private static Set<Class<?>> inputs() {
    Set<Class<?>> all = new LinkedHashSet<>();
    ArrayDeque<Type> waiting = new ArrayDeque<>();
    for (Class<?> kind :
        List.of(
            Conversations.class,
            Documents.class,
            Entities.class,
            Fragments.class,
            Memories.class,
            Notes.class,
            Plans.class,
            Contexts.class)) {
      methods(kind).forEach(each -> waiting.addAll(List.of(each.getGenericParameterTypes())));
    }
    while (!waiting.isEmpty()) {
      Type type = waiting.remove();
      if (type instanceof ParameterizedType generic) {
        waiting.addAll(List.of(generic.getActualTypeArguments()));
      } else if (type instanceof Class<?> array && array.isArray()) {
        waiting.add(array.getComponentType());
      } else if (type instanceof Class<?> input
          && Fields.class.isAssignableFrom(input)
          && all.add(input)) {
        setters(input).forEach(each -> waiting.addAll(List.of(each.getGenericParameterTypes())));
      }
    }
    return all;
  }

  /** Returns what a method removes, which is not in the message. */
  private static String removed(Method method) {
    return method.getName().startsWith("without") ? method.getName() : "";
  }

  private static Object[] values(Method method) throws ReflectiveOperationException {
    List<Object> values = new ArrayList<>();
    for (Type each : method.getGenericParameterTypes()) {
      values.add(value(each));
    }
    return values.toArray();
  }

  private static Object value(Type type) throws ReflectiveOperationException {
    if (type instanceof WildcardType wildcard) {
      return value(wildcard.getUpperBounds()[0]);
    }
    if (type instanceof ParameterizedType generic) {
      return generic.getRawType() == Map.class
          ? Map.of("key", 1)
          : List.of(value(generic.getActualTypeArguments()[0]));
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isArray()) {
      return array(raw.getComponentType());
    }
    if (raw.isEnum()) {
      return raw.getEnumConstants()[1];
    }
    return Fields.class.isAssignableFrom(raw) ? input(raw) : simple(raw);
  }

  private static Object array(Class<?> element) throws ReflectiveOperationException {
    Object array = Array.newInstance(element, 1);
    Array.set(array, 0, value(element));
    return array;
  }

  private static Object input(Class<?> type) throws ReflectiveOperationException {
    for (Method each : type.getDeclaredMethods()) {
      if (each.getName().equals("of")) {
        return each.invoke(null, values(each));
      }
    }
    return type.getField("DEFAULT").get(null);
  }

  private static Object simple(Class<?> type) {
    Map<Class<?>, Object> values =
        Map.of(
            boolean.class,
            true,
            int.class,
            1,
            long.class,
            1L,
            float.class,
            0.5f,
            double.class,
            0.5,
            byte.class,
            (byte) 1,
            Instant.class,
            Instant.ofEpochSecond(1, 5),
            Duration.class,
            Duration.ofMillis(1_500),
            Condition.class,
            Condition.mustExist());
    return type == Collection.class ? List.of("x") : values.getOrDefault(type, "x");
  }
}
