package io.memoryd.client;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.Document;
import io.memoryd.v1.DocumentServiceGrpc;
import io.memoryd.v1.UploadDocumentHeader;
import io.memoryd.v1.UploadDocumentRequest;
import io.memoryd.v1.UploadDocumentResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The upload of one file, which is read as fast as the daemon receives it. */
final class Upload extends ClientCall.Listener<UploadDocumentResponse> {
  private static final int PART_BYTES = 1024 * 1024;

  private final ClientCall<UploadDocumentRequest, UploadDocumentResponse> call;

  // Guarded by this: gRPC's threads set these.
  private Document document = Document.getDefaultInstance();
  private @Nullable Status status;
  private @Nullable Metadata trailers;

  Upload(Channel channel, Optional<Duration> timeout) {
    CallOptions options = new CallTimeout(timeout).options();
    call = channel.newCall(DocumentServiceGrpc.getUploadDocumentMethod(), options);
  }

  /** Sends a file in the calling thread, and returns the document that was created or changed. */
  Document send(UploadDocumentHeader header, InputStream file, LongConsumer progress)
      throws IOException {
    try {
      call.start(this, new Metadata());
      // Two, so that a second response is detected as an error.
      call.request(2);
      call.sendMessage(UploadDocumentRequest.newBuilder().setHeader(header).build());
      sendParts(file, progress);
      return result();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw CallFailedException.from(
          Status.CANCELLED.withDescription("the thread was interrupted").withCause(interrupted),
          null);
    } finally {
      // Without an effect on a call that has ended. One that was half-closed would end as that of a
      // whole file.
      call.cancel("the upload was given up", null);
    }
  }

  private void sendParts(InputStream file, LongConsumer progress)
      throws IOException, InterruptedException {
    long sent = 0;
    while (isWanted()) {
      byte[] part = file.readNBytes(PART_BYTES);
      if (part.length == 0) {
        call.halfClose();
        return;
      }
      call.sendMessage(
          UploadDocumentRequest.newBuilder()
              .setData(UnsafeByteOperations.unsafeWrap(part))
              .build());
      sent += part.length;
      progress.accept(sent);
    }
  }

  /** Waits until a part can be sent. Returns false if the call has ended. */
  private synchronized boolean isWanted() throws InterruptedException {
    while (status == null && !call.isReady()) {
      wait();
    }
    return status == null;
  }

  private synchronized Document result() throws InterruptedException {
    while (status == null) {
      wait();
    }
    if (!status.isOk()) {
      throw CallFailedException.from(status, trailers);
    }
    return document;
  }

  @Override
  public synchronized void onReady() {
    notifyAll();
  }

  @Override
  public synchronized void onMessage(UploadDocumentResponse response) {
    document = response.getDocument();
  }

  @Override
  public synchronized void onClose(Status ended, Metadata received) {
    status = ended;
    trailers = received;
    notifyAll();
  }
}
