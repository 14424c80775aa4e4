package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ChannelTest {
  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  @Test
  void interceptorsSeeEachCallAndThoseOfTheChannelEachAttempt() throws IOException {
    String name = InProcessServerBuilder.generateName();
    Server server = InProcessServerBuilder.forName(name).addService(new BusyOnce()).build().start();
    try (MemorydClient client =
        MemorydClient.builder()
            .intercept(recorder("first"), recorder("second"))
            .customizeChannel(
                builder -> InProcessChannelBuilder.forName(name).intercept(recorder("attempt")))
            .connect()) {
      assertEquals(7, client.agent("a").get("k", Integer.class).orElseThrow());
    } finally {
      server.shutdownNow();
    }
    assertEquals(List.of("first", "second", "attempt", "attempt"), calls);
  }

  /** Is unavailable at first. */
  private static final class BusyOnce
      extends WorkingMemoryServiceGrpc.WorkingMemoryServiceImplBase {
    private final AtomicBoolean busy = new AtomicBoolean(true);

    @Override
    public void getEntry(GetEntryRequest request, StreamObserver<GetEntryResponse> observer) {
      if (busy.getAndSet(false)) {
        observer.onError(Status.UNAVAILABLE.asRuntimeException());
        return;
      }
      GetEntryResponse.Builder response = GetEntryResponse.newBuilder();
      response.setFound(true).getEntryBuilder().setKey("k").setValueJson("7");
      observer.onNext(response.build());
      observer.onCompleted();
    }
  }

  private ClientInterceptor recorder(String name) {
    return new ClientInterceptor() {
      @Override
      public <Q, S> ClientCall<Q, S> interceptCall(
          MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
        calls.add(name);
        return next.newCall(method, options);
      }
    };
  }
}
