package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.ContextServiceGrpc;
import io.memoryd.v1.ConversationServiceGrpc;
import io.memoryd.v1.DocumentServiceGrpc;
import io.memoryd.v1.EntityServiceGrpc;
import io.memoryd.v1.EventServiceGrpc;
import io.memoryd.v1.FragmentServiceGrpc;
import io.memoryd.v1.LongTermMemoryServiceGrpc;
import io.memoryd.v1.NoteServiceGrpc;
import io.memoryd.v1.OperationServiceGrpc;
import io.memoryd.v1.PlanServiceGrpc;
import io.memoryd.v1.ServerServiceGrpc;
import io.memoryd.v1.SnapshotServiceGrpc;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.util.List;

/** The methods of the generated stubs by their names, and their messages as JSON. */
final class Methods {
  private static final String PACKAGE = "memoryd.v1.";
  private static final List<ServiceDescriptor> SERVICES =
      List.of(
          AgentServiceGrpc.getServiceDescriptor(),
          DocumentServiceGrpc.getServiceDescriptor(),
          EntityServiceGrpc.getServiceDescriptor(),
          EventServiceGrpc.getServiceDescriptor(),
          FragmentServiceGrpc.getServiceDescriptor(),
          LongTermMemoryServiceGrpc.getServiceDescriptor(),
          NoteServiceGrpc.getServiceDescriptor(),
          OperationServiceGrpc.getServiceDescriptor(),
          PlanServiceGrpc.getServiceDescriptor(),
          ContextServiceGrpc.getServiceDescriptor(),
          ConversationServiceGrpc.getServiceDescriptor(),
          ServerServiceGrpc.getServiceDescriptor(),
          SnapshotServiceGrpc.getServiceDescriptor(),
          TransactionServiceGrpc.getServiceDescriptor(),
          WorkingMemoryServiceGrpc.getServiceDescriptor());
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().preservingProtoFieldNames().alwaysPrintFieldsWithNoPresence();
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private Methods() {}

  /** Returns the unary method of a name such as {@code WorkingMemoryService.GetEntry}. */
  @SuppressWarnings("unchecked") // the methods of generated stubs speak messages
  static MethodDescriptor<Message, Message> unary(String name) {
    String fullName = PACKAGE + name.replace('.', '/');
    return SERVICES.stream()
        .flatMap(service -> service.getMethods().stream())
        .filter(method -> method.getFullMethodName().equals(fullName))
        .filter(method -> method.getType() == MethodDescriptor.MethodType.UNARY)
        .map(method -> (MethodDescriptor<Message, Message>) method)
        .findFirst()
        .orElseThrow(() -> new ScenarioFailure("there is no unary method " + name));
  }

  static Message request(MethodDescriptor<Message, Message> method, JsonNode json) {
    PrototypeMarshaller<Message> marshaller =
        (PrototypeMarshaller<Message>) method.getRequestMarshaller();
    return message(marshaller.getMessagePrototype(), json);
  }

  /** Decodes a message of the prototype's type. */
  static Message message(Message prototype, JsonNode json) {
    Message.Builder message = prototype.newBuilderForType();
    try {
      JsonFormat.parser().merge(json.toString(), message);
    } catch (InvalidProtocolBufferException refused) {
      throw new ScenarioFailure("invalid request: " + refused.getMessage());
    }
    return message.build();
  }

  static JsonNode json(Message message) {
    try {
      return JSON.readTree(PRINTER.print(message));
    } catch (InvalidProtocolBufferException | JsonProcessingException impossible) {
      throw new AssertionError("every message has a JSON form", impossible);
    }
  }
}
