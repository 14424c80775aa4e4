package io.memoryd.client.error;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.List;

/** Trailers as the daemon sends them with an error. */
public final class ErrorTrailers {
  private ErrorTrailers() {}

  public static Metadata of(Message... details) {
    Status status =
        Status.newBuilder()
            .addAllDetails(List.of(details).stream().map(Any::pack).toList())
            .build();
    return ofBytes(status.toByteArray());
  }

  public static Metadata retryAfter(Duration delay) {
    var message =
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(delay.getSeconds())
            .setNanos(delay.getNano());
    return of(RetryInfo.newBuilder().setRetryDelay(message).build());
  }

  static Metadata ofBytes(byte[] packed) {
    Metadata trailers = new Metadata();
    trailers.put(ErrorDetails.KEY, packed);
    return trailers;
  }
}
