package io.memoryd.client;

import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;

/** A streaming call, which is never retried. */
final class StreamingCall<Q, S> extends SimpleForwardingClientCall<Q, S> {
  private final CallPolicy policy;

  StreamingCall(ClientCall<Q, S> call, CallPolicy policy) {
    super(call);
    this.policy = policy;
  }

  @Override
  public void start(Listener<S> listener, Metadata headers) {
    super.start(
        new SimpleForwardingClientCallListener<>(listener) {
          @Override
          public void onMessage(S message) {
            policy.answered();
            super.onMessage(message);
          }

          @Override
          public void onClose(Status ended, Metadata trailers) {
            Status status = CallPolicy.normalized(ended);
            policy.failed(CallFailedException.from(status, trailers));
            super.onClose(policy.forCaller(status), trailers);
          }
        },
        headers);
  }
}
