package io.memoryd.conformance.scenarios;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/** Keeps the first request and the last response of the calls of each thread. */
final class Recorder implements ClientInterceptor {
  /** What a thread has sent and received since it began. */
  static final class Recording {
    String method;
    Message request;
    Message response;
  }

  private final ThreadLocal<Recording> recordings = ThreadLocal.withInitial(Recording::new);

  /** Forgets what this thread has recorded, and returns what it records from now on. */
  Recording begin() {
    Recording recording = new Recording();
    recordings.set(recording);
    return recording;
  }

  @Override
  public <Q, S> ClientCall<Q, S> interceptCall(
      MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
    Recording recording = recordings.get();
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<S> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(S message) {
                recording.response = (Message) message;
                super.onMessage(message);
              }
            },
            headers);
      }

      @Override
      public void sendMessage(Q message) {
        if (recording.request == null) {
          recording.method = method.getFullMethodName();
          recording.request = (Message) message;
        }
        super.sendMessage(message);
      }
    };
  }
}
