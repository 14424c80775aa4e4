package io.memoryd.client.error;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The details in the trailers of a call. */
record ErrorDetails(
    String reason,
    Map<String, String> metadata,
    Map<String, String> fields,
    Optional<Duration> retryDelay) {
  // Read as bytes, so that a damaged detail cannot hide the status code behind a decoding error.
  static final Metadata.Key<byte[]> KEY =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final String DOMAIN = "memoryd";
  private static final ErrorDetails NONE =
      new ErrorDetails("", Map.of(), Map.of(), Optional.empty());

  static ErrorDetails in(@Nullable Metadata trailers) {
    byte[] packed = trailers == null ? null : trailers.get(KEY);
    if (packed == null) {
      return NONE;
    }
    try {
      return read(Status.parseFrom(packed));
    } catch (InvalidProtocolBufferException damaged) {
      return NONE;
    }
  }

  private static ErrorDetails read(Status status) throws InvalidProtocolBufferException {
    ErrorInfo info = ErrorInfo.getDefaultInstance();
    Map<String, String> fields = new LinkedHashMap<>();
    Optional<Duration> retryDelay = Optional.empty();
    for (Any detail : status.getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        ErrorInfo found = detail.unpack(ErrorInfo.class);
        info = found.getDomain().equals(DOMAIN) ? found : info;
      } else if (detail.is(BadRequest.class)) {
        detail
            .unpack(BadRequest.class)
            .getFieldViolationsList()
            .forEach(bad -> fields.put(bad.getField(), bad.getDescription()));
      } else if (detail.is(RetryInfo.class)) {
        var delay = detail.unpack(RetryInfo.class).getRetryDelay();
        retryDelay = Optional.of(Duration.ofSeconds(delay.getSeconds(), delay.getNanos()));
      }
    }
    return new ErrorDetails(
        info.getReason(),
        Map.copyOf(info.getMetadataMap()),
        Collections.unmodifiableMap(fields),
        retryDelay);
  }
}
