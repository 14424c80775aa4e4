package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The ids that make changes safe to repeat. */
final class RequestIds {
  private static final String REQUEST_ID = "request_id";
  private static final int REQUEST_ID_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private RequestIds() {}

  /** Returns the request with a new request id, if it has a field for one that is still empty. */
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

  /** Returns 128 random bits. */
  static String newRequestId() {
    byte[] bits = new byte[REQUEST_ID_BYTES];
    RANDOM.nextBytes(bits);
    return HexFormat.of().formatHex(bits);
  }
}
