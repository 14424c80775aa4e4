package io.memoryd.client;

import com.google.protobuf.Message;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.memoryd.v1.ContextServiceGrpc;
import io.memoryd.v1.ConversationServiceGrpc;
import io.memoryd.v1.DocumentServiceGrpc;
import io.memoryd.v1.EntityServiceGrpc;
import io.memoryd.v1.FragmentServiceGrpc;
import io.memoryd.v1.LongTermMemoryServiceGrpc;
import io.memoryd.v1.NoteServiceGrpc;
import io.memoryd.v1.PlanServiceGrpc;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;

/**
 * A daemon that records the requests of unary calls. It returns the responses or fails with the
 * errors that a test has set, and then returns empty responses.
 */
final class RecordingDaemon implements AutoCloseable {
  static final List<ServiceDescriptor> KINDS =
      List.of(
          ContextServiceGrpc.getServiceDescriptor(),
          ConversationServiceGrpc.getServiceDescriptor(),
          DocumentServiceGrpc.getServiceDescriptor(),
          EntityServiceGrpc.getServiceDescriptor(),
          FragmentServiceGrpc.getServiceDescriptor(),
          LongTermMemoryServiceGrpc.getServiceDescriptor(),
          NoteServiceGrpc.getServiceDescriptor(),
          PlanServiceGrpc.getServiceDescriptor());

  private static final Metadata.Key<String> USER_AGENT =
      Metadata.Key.of("user-agent", Metadata.ASCII_STRING_MARSHALLER);

  final Queue<Object> answers = new ArrayDeque<>();
  private final List<Message> requests = Collections.synchronizedList(new ArrayList<>());
  private final Server server;
  private final MemorydClient client;
  private volatile Deadline deadline;
  private volatile String userAgent;

  RecordingDaemon() throws IOException {
    ServerBuilder<?> builder =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()).directExecutor();
    KINDS.forEach(each -> builder.addService(service(each)));
    builder.intercept(
        new ServerInterceptor() {
          @Override
          public <Q, S> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
            userAgent = headers.get(USER_AGENT);
            return next.startCall(call, headers);
          }
        });
    builder.addService(service(WorkingMemoryServiceGrpc.getServiceDescriptor()));
    builder.addService(service(TransactionServiceGrpc.getServiceDescriptor()));
    server = builder.build().start();
    client = MemorydClient.builder().address("127.0.0.1:" + server.getPort()).connect();
  }

  Agent agent() {
    return client.agent("a");
  }

  List<Message> requests() {
    return requests;
  }

  /** Returns the last request, which is of this type. */
  <T extends Message> T last(Class<T> type) {
    return type.cast(requests.get(requests.size() - 1));
  }

  /** Returns the user agent of the last call. */
  String userAgent() {
    return userAgent;
  }

  /** Returns the deadline of the last call. */
  Deadline deadline() {
    return deadline;
  }

  @Override
  public void close() {
    client.close();
    server.shutdownNow();
  }

  private ServerServiceDefinition service(ServiceDescriptor descriptor) {
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor);
    descriptor.getMethods().forEach(method -> add(service, method));
    return service.build();
  }

  private <Q, S> void add(ServerServiceDefinition.Builder service, MethodDescriptor<Q, S> method) {
    service.addMethod(
        method,
        method.getType() == MethodDescriptor.MethodType.UNARY
            ? ServerCalls.asyncUnaryCall((request, observer) -> answer(method, request, observer))
            : ServerCalls.asyncClientStreamingCall(
                observer -> {
                  throw new UnsupportedOperationException(method.getFullMethodName());
                }));
  }

  private <Q, S> void answer(MethodDescriptor<Q, S> method, Q request, StreamObserver<S> observer) {
    requests.add((Message) request);
    deadline = Context.current().getDeadline();
    Object answer = answers.poll();
    if (answer instanceof StatusRuntimeException failure) {
      observer.onError(failure);
      return;
    }
    var responses = (MethodDescriptor.PrototypeMarshaller<S>) method.getResponseMarshaller();
    @SuppressWarnings("unchecked") // The test has a response of this method.
    S response = answer == null ? responses.getMessagePrototype() : (S) answer;
    observer.onNext(response);
    observer.onCompleted();
  }
}
