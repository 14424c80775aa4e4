package io.memoryd.client;

import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc.WorkingMemoryServiceBlockingStub;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One connection to one daemon, and the state that the parts of a client share. */
final class Connection {
  private static final Duration CLOSING_MAX = Duration.ofSeconds(5);

  private final ClientSettings settings;
  private final ManagedChannel transport;
  private final ScheduledThreadPoolExecutor timer;
  private final CallPolicy policy;
  private final NearCopies nearCopies;
  private final Channel channel;
  private final Values values;
  private final EntryCalls entryCalls;

  Connection(ClientSettings settings) {
    this.settings = settings;
    transport = Transport.open(settings);
    timer = newTimer();
    policy = new CallPolicy(settings.timeout(), settings.connectTimeout(), timer);
    ClientInterceptor headers = MetadataUtils.newAttachHeadersInterceptor(headers(settings));
    nearCopies = new NearCopies(timer);
    channel =
        ClientInterceptors.interceptForward(
            ClientInterceptors.intercept(transport, headers, policy, nearCopies),
            settings.interceptors());
    values = new Values(settings.mapper());
    entryCalls = new EntryCalls(this);
    new Reconnection(transport, timer).begin();
  }

  ClientSettings settings() {
    return settings;
  }

  /** Returns the channel for stubs, which adds timeouts, request ids, retries and credentials. */
  Channel channel() {
    return channel;
  }

  Values values() {
    return values;
  }

  EntryCalls entryCalls() {
    return entryCalls;
  }

  NearCopies nearCopies() {
    return nearCopies;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  WorkingMemoryServiceBlockingStub workingMemory() {
    return WorkingMemoryServiceGrpc.newBlockingStub(channel);
  }

  /** Performs a call of a stub, and converts its errors into those of this client. */
  static <T> T perform(Supplier<T> call) {
    try {
      return call.get();
    } catch (StatusRuntimeException thrown) {
      throw CallFailedException.from(thrown);
    }
  }

  boolean isClosed() {
    return policy.isClosed();
  }

  void close() {
    policy.close();
    nearCopies.close();
    // Delayed tasks still run after the shutdown: the next attempt of a waiting call fails at once,
    // which ends the call.
    timer.shutdown();
    transport.shutdownNow();
    try {
      transport.awaitTermination(CLOSING_MAX.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ScheduledThreadPoolExecutor newTimer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "memoryd-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private static Metadata headers(ClientSettings settings) {
    Metadata headers = new Metadata();
    if (!settings.token().isEmpty()) {
      headers.put(key("authorization"), "Bearer " + settings.token());
    }
    if (!settings.origin().isEmpty()) {
      headers.put(key("memoryd-origin"), settings.origin());
    }
    return headers;
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
