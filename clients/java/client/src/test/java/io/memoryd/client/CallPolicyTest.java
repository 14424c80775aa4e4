package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.ErrorTrailers;
import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.ContextServiceGrpc;
import io.memoryd.v1.ConversationServiceGrpc;
import io.memoryd.v1.CreateSnapshotRequest;
import io.memoryd.v1.CreateSnapshotResponse;
import io.memoryd.v1.DocumentServiceGrpc;
import io.memoryd.v1.EntityServiceGrpc;
import io.memoryd.v1.EventServiceGrpc;
import io.memoryd.v1.FragmentServiceGrpc;
import io.memoryd.v1.LongTermMemoryServiceGrpc;
import io.memoryd.v1.NoteServiceGrpc;
import io.memoryd.v1.OperationServiceGrpc;
import io.memoryd.v1.PlanServiceGrpc;
import io.memoryd.v1.ServerServiceGrpc;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.SnapshotServiceGrpc;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CallPolicyTest {
  private static final SetEntryRequest REQUEST = SetEntryRequest.newBuilder().setKey("k").build();

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

  private final Queue<Status> failures = new ArrayDeque<>();
  private final List<String> requestIds = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch refused = new CountDownLatch(1);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private Metadata trailers = new Metadata();
  private Server server;
  private ManagedChannel channel;

  /** Fails as the test has set, and then succeeds. */
  private final class WorkingMemoryService
      extends WorkingMemoryServiceGrpc.WorkingMemoryServiceImplBase {
    @Override
    public void setEntry(SetEntryRequest request, StreamObserver<SetEntryResponse> observer) {
      requestIds.add(request.getRequestId());
      answer(observer, SetEntryResponse.getDefaultInstance());
    }
  }

  /** Fails as the test has set, and then succeeds. */
  private final class Snapshots extends SnapshotServiceGrpc.SnapshotServiceImplBase {
    @Override
    public void createSnapshot(
        CreateSnapshotRequest request, StreamObserver<CreateSnapshotResponse> observer) {
      requestIds.add(request.getRequestId());
      answer(observer, CreateSnapshotResponse.getDefaultInstance());
    }
  }

  @BeforeEach
  void start() throws IOException {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .addService(new WorkingMemoryService())
            .addService(new Snapshots())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).propagateCauseWithStatus(true).build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
    timer.shutdownNow();
  }

  @Test
  void allMethodsMayBeRepeatedButStreams() {
    for (ServiceDescriptor service : SERVICES) {
      for (MethodDescriptor<?, ?> method : service.getMethods()) {
        boolean unary = method.getType() == MethodDescriptor.MethodType.UNARY;
        assertEquals(unary, CallPolicy.repeatable(method), method.getFullMethodName());
      }
    }
  }

  @Test
  void aChangeIsRepeatedWithTheSameRequestId() {
    failures.add(Status.UNAVAILABLE);
    failures.add(Status.CANCELLED);
    WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(10))).setEntry(REQUEST);
    assertEquals(3, requestIds.size());
    assertEquals(1, requestIds.stream().distinct().count());
  }

  @Test
  void aBrokenConnectionIsRetriedWhateverTheTransportsStatus() {
    failures.add(Status.UNKNOWN.withCause(new ClosedChannelException()));
    WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(10))).setEntry(REQUEST);
    assertEquals(2, requestIds.size());
    failures.add(Status.UNKNOWN);
    var stub = WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(10)));
    assertThrows(StatusRuntimeException.class, () -> stub.setEntry(REQUEST));
    assertEquals(3, requestIds.size());
  }

  @Test
  void eachCallHasARequestIdOfItsOwn() {
    var stub = WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(10)));
    stub.setEntry(REQUEST);
    stub.setEntry(REQUEST);
    assertEquals(2, requestIds.stream().distinct().count());
  }

  @Test
  void theCallFailsWhenThereIsNoTimeForAnotherAttempt() {
    failures.add(Status.UNAVAILABLE);
    trailers = ErrorTrailers.retryAfter(Duration.ofMinutes(1));
    var stub = WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(20)));
    StatusRuntimeException error =
        assertThrows(StatusRuntimeException.class, () -> stub.setEntry(REQUEST));
    assertEquals(Status.Code.UNAVAILABLE, error.getStatus().getCode());
    assertEquals(1, requestIds.size());
  }

  @Test
  void aRefusalIsNotRepeated() {
    failures.add(Status.INVALID_ARGUMENT);
    var stub = WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(10)));
    assertThrows(StatusRuntimeException.class, () -> stub.setEntry(REQUEST));
    assertEquals(1, requestIds.size());
  }

  @Test
  void aChangeOfSnapshotsIsRepeatedWithTheSameRequestId() {
    failures.add(Status.UNAVAILABLE);
    SnapshotServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(10)))
        .createSnapshot(CreateSnapshotRequest.getDefaultInstance());
    assertEquals(2, requestIds.size());
    assertEquals(1, requestIds.stream().distinct().count());
    assertFalse(requestIds.get(0).isEmpty());
  }

  @Test
  void aFutureIsCancelledWhileItsCallWaitsForTheNextAttempt() throws InterruptedException {
    Collections.addAll(failures, Status.UNAVAILABLE, Status.UNAVAILABLE, Status.UNAVAILABLE);
    var future =
        WorkingMemoryServiceGrpc.newFutureStub(policed(Duration.ofSeconds(10))).setEntry(REQUEST);
    assertTrue(refused.await(10, TimeUnit.SECONDS));
    assertTrue(future.cancel(true));
    assertThrows(CancellationException.class, future::get);
  }

  @Test
  void aCallWhoseRetriesEndFailsWithTheErrorOfItsLastAttempt() throws InterruptedException {
    for (int attempt = 0; attempt < 100; attempt++) {
      failures.add(Status.UNAVAILABLE);
    }
    Retries retries = new Retries();
    var stub = WorkingMemoryServiceGrpc.newFutureStub(policed(Duration.ofSeconds(60)));
    var future = stub.withOption(Retries.OPTION, retries).setEntry(REQUEST);
    assertTrue(refused.await(10, TimeUnit.SECONDS));
    retries.end();
    ExecutionException failed = assertThrows(ExecutionException.class, future::get);
    assertEquals(Status.Code.UNAVAILABLE, Status.fromThrowable(failed).getCode());
    int attempts = requestIds.size();
    assertThrows(
        ExecutionException.class, stub.withOption(Retries.OPTION, retries).setEntry(REQUEST)::get);
    assertEquals(attempts + 1, requestIds.size());
  }

  @Test
  void anInterruptEndsACall() {
    for (int attempt = 0; attempt < 100; attempt++) {
      failures.add(Status.UNAVAILABLE);
    }
    var stub = WorkingMemoryServiceGrpc.newBlockingStub(policed(Duration.ofSeconds(20)));
    Thread.currentThread().interrupt();
    StatusRuntimeException error =
        assertThrows(StatusRuntimeException.class, () -> stub.setEntry(REQUEST));
    assertEquals(Status.Code.CANCELLED, error.getStatus().getCode());
    assertTrue(Thread.interrupted());
  }

  @Test
  void aCallThatFailsAfterTheClientWasClosedIsCancelled() {
    CallPolicy policy = policy(Duration.ofSeconds(10));
    policy.close();
    failures.add(Status.UNAVAILABLE);
    var stub =
        WorkingMemoryServiceGrpc.newBlockingStub(ClientInterceptors.intercept(channel, policy));
    StatusRuntimeException error =
        assertThrows(StatusRuntimeException.class, () -> stub.setEntry(REQUEST));
    assertEquals(Status.Code.CANCELLED, error.getStatus().getCode());
    assertEquals(1, requestIds.size());
  }

  private Channel policed(Duration timeout) {
    return ClientInterceptors.intercept(channel, policy(timeout));
  }

  private CallPolicy policy(Duration timeout) {
    return new CallPolicy(timeout, timeout, timer);
  }

  private <T> void answer(StreamObserver<T> observer, T answer) {
    Status failure = failures.poll();
    if (failure != null) {
      refused.countDown();
      observer.onError(failure.asRuntimeException(trailers));
    } else {
      observer.onNext(answer);
      observer.onCompleted();
    }
  }
}
