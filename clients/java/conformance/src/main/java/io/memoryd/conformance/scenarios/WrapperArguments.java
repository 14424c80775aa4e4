package io.memoryd.conformance.scenarios;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import io.memoryd.client.Condition;
import io.memoryd.v1.Precondition;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.RecordView;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The arguments with which a wrapper sends a request. */
final class WrapperArguments {
  private static final String DRAFT = "draft";
  private static final String MASK = "update_mask";

  private final Wrapper wrapper;
  private final Message request;
  private final List<Object> afterPositional = new ArrayList<>();
  private final Class<?> optionsType;
  private Object options;
  private boolean erases;

  /**
   * Takes the arguments of a method from a request.
   *
   * @throws Unsayable if there are none that say the same
   */
  WrapperArguments(String name, Wrapper wrapper, Message request, Duration timeout) {
    this.wrapper = wrapper;
    this.request = request;
    optionsType = Setters.type(name + "Options");
    options = Setters.call(Setters.empty(optionsType), "withTimeout", timeout);
    request.getAllFields().forEach(this::take);
    if (has(MASK)) {
      afterPositional.add(changes(Setters.empty(Setters.type(name + "Changes"))));
    }
    afterPositional.add(options);
  }

  /** Returns the method of a kind that takes the options. */
  Method method(Class<?> kind) {
    String name = erases ? wrapper.erasing() : wrapper.method();
    return Stream.of(kind.getMethods())
        .filter(each -> each.getName().equals(name))
        .filter(each -> List.of(each.getParameterTypes()).contains(optionsType))
        .findFirst()
        .orElseThrow(() -> new AssertionError("there is no method " + name + " of " + kind));
  }

  /** Returns the arguments of that method. */
  Object[] values(Method method) {
    List<Object> values = new ArrayList<>();
    for (String name : wrapper.positional()) {
      Message place = has(name) ? request : draft();
      FieldDescriptor field = field(place, name);
      Class<?> type = method.getParameterTypes()[values.size()];
      values.add(Setters.value(field, place.getField(field), type));
    }
    values.addAll(afterPositional);
    return values.toArray();
  }

  private Message draft() {
    FieldDescriptor draft = field(request, DRAFT);
    if (!request.hasField(draft)) {
      throw new Unsayable("a draft that is missing");
    }
    return (Message) request.getField(draft);
  }

  private void take(FieldDescriptor field, Object value) {
    switch (field.getName()) {
      case "agent_id", MASK -> {}
      case "page_size", "page_token" -> throw new Unsayable("a certain page of a list");
      case "precondition" -> give("withCondition", condition((Precondition) value));
      case "agent_precondition" -> give("withAgentCondition", condition((Precondition) value));
      case "consistency" -> giveFields((Message) value);
      case "view" -> {
        if (((EnumValueDescriptor) value).getNumber()
            != RecordView.RECORD_VIEW_WITHOUT_CONTENT_VALUE) {
          throw new Unsayable("a view that is the default");
        }
        give("withoutContent");
      }
      case DRAFT -> {
        if (!has(MASK)) {
          giveFields((Message) value);
        }
      }
      case "filter" -> select((RecordFilter) value);
      case "erase" -> erase(field, value);
      default -> give(field, value);
    }
  }

  private void erase(FieldDescriptor field, Object value) {
    erases = !wrapper.erasing().isEmpty();
    if (!erases) {
      give(field, value);
    }
  }

  private void select(RecordFilter filter) {
    checkFields(filter);
    filter
        .getAllFields()
        .forEach(
            (field, value) -> {
              if (field.getContainingOneof() == null) {
                give(field, value);
              } else if (field.getName().equals(wrapper.condition())) {
                giveFields((Message) value);
              } else {
                throw new Unsayable("conditions on another kind");
              }
            });
  }

  private void giveFields(Message message) {
    checkFields(message);
    message.getAllFields().forEach(this::give);
  }

  private void give(FieldDescriptor field, Object value) {
    if (!wrapper.positional().contains(field.getName())) {
      options = Setters.set(options, field, value);
    }
  }

  private void give(String method, Object... values) {
    options = Setters.call(options, method, values);
  }

  /** Gives the fields that the mask of an update names. */
  private Object changes(Object none) {
    FieldMask mask = (FieldMask) request.getField(field(request, MASK));
    Message draft = (Message) request.getField(field(request, DRAFT));
    List<FieldDescriptor> left = new ArrayList<>(draft.getAllFields().keySet());
    Object changes = none;
    for (String path : mask.getPathsList()) {
      FieldDescriptor field = field(draft, path);
      FieldDescriptor ttl = draft.getDescriptorForType().findFieldByName("ttl");
      if (path.equals("expire_time") && ttl != null && draft.hasField(ttl)) {
        field = ttl;
      }
      if (left.remove(field) || !field.hasPresence()) {
        changes = Setters.set(changes, field, draft.getField(field));
      } else {
        changes = Setters.call(changes, "without" + Setters.pascal(path));
      }
    }
    if (!left.isEmpty()) {
      throw new Unsayable("a field of the draft that is not changed");
    }
    return changes;
  }

  private static Condition condition(Precondition condition) {
    if (condition.getMustExist()) {
      return Condition.mustExist();
    }
    if (condition.getMustNotExist()) {
      return Condition.mustNotExist();
    }
    if (!condition.hasExpectedRevision()) {
      throw new Unsayable("a condition that is empty or false");
    }
    return Condition.expectedRevision(condition.getExpectedRevision());
  }

  private static void checkFields(Message message) {
    if (message.getAllFields().isEmpty()) {
      throw new Unsayable("an empty message is the same as none");
    }
  }

  private boolean has(String name) {
    return request.getDescriptorForType().findFieldByName(name) != null;
  }

  private static FieldDescriptor field(Message message, String name) {
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
    if (field == null) {
      throw new Unsayable("there is no field " + name);
    }
    return field;
  }
}
