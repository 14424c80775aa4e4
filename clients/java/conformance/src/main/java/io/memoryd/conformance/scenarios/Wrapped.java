package io.memoryd.conformance.scenarios;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.UnsupportedValueException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/** Calls methods with their wrappers, as a user's program would. */
final class Wrapped implements AutoCloseable {
  private final Recorder recorder = new Recorder();
  private final Map<String, Integer> calls = new ConcurrentSkipListMap<>();
  private final MemorydClient client;
  private final Duration timeout;

  Wrapped(String address, Duration timeout) {
    client = MemorydClient.builder().address(address).intercept(recorder).connect();
    this.timeout = timeout;
  }

  /**
   * Calls a method with its wrapper, and returns the response that the wrapper has received. It is
   * empty, without a call, if there is no wrapper, or none that can say this request.
   */
  Optional<Message> call(MethodDescriptor<Message, Message> method, Message request) {
    Wrapper wrapper = Wrappers.BY_METHOD.get(method.getBareMethodName());
    if (wrapper == null) {
      return Optional.empty();
    }
    Recorder.Recording recording = recorder.begin();
    try {
      send(method.getBareMethodName(), wrapper, request);
    } catch (Unsayable | IllegalArgumentException | UnsupportedValueException refused) {
      if (recording.request == null) {
        // The wrapper, or its types, would have refused what only a stub can send.
        return Optional.empty();
      }
      throw refused;
    } catch (CallFailedException failed) {
      check(method, request, recording);
      throw failed;
    }
    check(method, request, recording);
    calls.merge(method.getBareMethodName(), 1, Integer::sum);
    return Optional.of(recording.response);
  }

  /** Returns a line about the calls that were made with wrappers. */
  String summary() {
    int sum = calls.values().stream().mapToInt(Integer::intValue).sum();
    return "calls with the wrappers of " + calls.size() + " methods: " + sum;
  }

  @Override
  public void close() {
    client.close();
  }

  private void send(String name, Wrapper wrapper, Message request) {
    FieldDescriptor agentId = request.getDescriptorForType().findFieldByName("agent_id");
    Agent agent = client.agent((String) request.getField(agentId));
    WrapperArguments arguments = new WrapperArguments(name, wrapper, request, timeout);
    try {
      Object kind =
          wrapper.kind().isEmpty() ? agent : Agent.class.getMethod(wrapper.kind()).invoke(agent);
      Method called = arguments.method(kind.getClass());
      Object returned = called.invoke(kind, arguments.values(called));
      if (returned instanceof Stream<?> records) {
        records.forEach(each -> {});
      }
    } catch (InvocationTargetException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(failed);
    } catch (ReflectiveOperationException broken) {
      throw new AssertionError(broken);
    }
  }

  private static void check(
      MethodDescriptor<Message, Message> method, Message asked, Recorder.Recording recording) {
    Message sent = comparable(recording.request);
    if (!recording.method.equals(method.getFullMethodName()) || !sent.equals(comparable(asked))) {
      throw new ScenarioFailure(
          "the wrapper sent " + recording.method + " " + sent + " instead of " + asked);
    }
  }

  /**
   * Returns a request without what does not matter: the size of pages, the order of a mask, and
   * whether the draft of an update is empty.
   */
  private static Message comparable(Message request) {
    Message.Builder message = request.toBuilder();
    FieldDescriptor size = request.getDescriptorForType().findFieldByName("page_size");
    if (size != null) {
      message.clearField(size);
    }
    FieldDescriptor mask = request.getDescriptorForType().findFieldByName("update_mask");
    if (mask != null) {
      message.getFieldBuilder(request.getDescriptorForType().findFieldByName("draft"));
      List<String> paths = ((FieldMask) message.getField(mask)).getPathsList();
      message.setField(mask, FieldMask.newBuilder().addAllPaths(new TreeSet<>(paths)).build());
    }
    return message.build();
  }
}
