package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Which calls may be repeated, and the ids that make changes safe to repeat. */
final class MethodPolicy {
  private static final String REQUEST_ID = "request_id";
  private static final int REQUEST_ID_BYTES = 16;
  // A method whose name tells nothing and whose request carries no id may be a change: once only.
  // Reembedding passes over the memories that have their vector.
  private static final Pattern CHANGE_NOTHING_TWICE =
      Pattern.compile(
          "(BatchGet|Compose|Contains|Count|Get|List|Recall|Reembed|Search)\\p{Upper}.*");
  private static final SecureRandom RANDOM = new SecureRandom();

  private MethodPolicy() {}

  /** Whether repeating a call of the method changes nothing twice. */
  static boolean repeatable(MethodDescriptor<?, ?> method) {
    if (method.getType() != MethodType.UNARY) {
      return false;
    }
    return CHANGE_NOTHING_TWICE.matcher(method.getBareMethodName()).matches()
        || carriesRequestId(method);
  }

  /** Answers the request with a new request id, if it has a place for one that is still empty. */
  static <T> T withRequestId(T request) {
    if (!(request instanceof Message message)) {
      return request;
    }
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(REQUEST_ID);
    if (field == null || !message.getField(field).equals("")) {
      return request;
    }
    @SuppressWarnings("unchecked") // a message's builder builds messages of its type
    T identified = (T) message.toBuilder().setField(field, newRequestId()).build();
    return identified;
  }

  private static boolean carriesRequestId(MethodDescriptor<?, ?> method) {
    return method.getRequestMarshaller() instanceof PrototypeMarshaller<?> marshaller
        && marshaller.getMessagePrototype() instanceof Message prototype
        && prototype.getDescriptorForType().findFieldByName(REQUEST_ID) != null;
  }

  private static String newRequestId() {
    byte[] bits = new byte[REQUEST_ID_BYTES];
    RANDOM.nextBytes(bits);
    return HexFormat.of().formatHex(bits);
  }
}
