package io.memoryd.client;

import io.memoryd.v1.CreateDocumentRequest;
import io.memoryd.v1.CreateDocumentRequest.ContentCase;
import io.memoryd.v1.Document;
import io.memoryd.v1.DocumentUpdate;
import io.memoryd.v1.UpdateDocumentRequest;
import io.memoryd.v1.UploadDocumentHeader;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongConsumer;

/** The part of the documents' wrapper that is written by hand. */
abstract class Uploading extends Kind {
  Uploading(Connection connection, Place place) {
    super(connection, place);
  }

  /** Uploads a file as {@link #upload(InputStream, CreateDocumentOptions, LongConsumer)} does. */
  public Document upload(InputStream file, CreateDocumentOptions options) throws IOException {
    return upload(file, options, bytes -> {});
  }

  /**
   * Creates a document from a file of any size, which is sent in parts, and returns the document.
   * The options must not have a text, data or a URL; {@code withTimeout} limits the upload, which
   * otherwise has no limit, whatever the client's timeout. The file is not closed.
   *
   * <p>The client never sends an upload again. To repeat one that has failed, give both the same
   * {@code withRequestId}. If the thread is interrupted, or the file cannot be read, the upload is
   * cancelled.
   *
   * @param progress receives the number of bytes that were sent so far, after each part
   * @throws io.memoryd.client.error.RecordExistsException if the id of the document is taken
   * @throws io.memoryd.client.error.TooLargeException if the file is larger than the limit
   *     document_file_bytes
   * @throws io.memoryd.client.error.QuotaExceededException if the agent would exceed a limit
   * @throws io.memoryd.client.error.DocumentUnreadableException if no text can be extracted from
   *     the file
   * @throws IOException if the file cannot be read; nothing has changed then
   */
  public Document upload(InputStream file, CreateDocumentOptions options, LongConsumer progress)
      throws IOException {
    var request = (CreateDocumentRequest) request(options.given()).build();
    check(request.getContentCase() == ContentCase.CONTENT_NOT_SET);
    UploadDocumentHeader.Builder header =
        UploadDocumentHeader.newBuilder()
            .setAgentId(request.getAgentId())
            .setRequestId(request.getRequestId())
            .setCreate(request.getDraft());
    if (request.hasAgentPrecondition()) {
      header.setAgentPrecondition(request.getAgentPrecondition());
    }
    return send(header.build(), options.given().timeout(), file, progress);
  }

  /**
   * Replaces the content of a document as {@link #upload(String, InputStream,
   * UpdateDocumentChanges, UpdateDocumentOptions, LongConsumer)} does.
   */
  public Document upload(String documentId, InputStream file) throws IOException {
    return upload(
        documentId,
        file,
        UpdateDocumentChanges.DEFAULT,
        UpdateDocumentOptions.DEFAULT,
        bytes -> {});
  }

  /**
   * Replaces the content of a document by a file of any size, which is sent in parts, changes the
   * given fields, and returns the document. All else is as with {@link #upload(InputStream,
   * CreateDocumentOptions, LongConsumer)}.
   *
   * @throws io.memoryd.client.error.RecordNotFoundException if the document does not exist
   * @throws io.memoryd.client.error.RevisionMismatchException if the condition says another
   *     revision than that of the document
   * @throws IOException if the file cannot be read; nothing has changed then
   */
  public Document upload(
      String documentId,
      InputStream file,
      UpdateDocumentChanges changes,
      UpdateDocumentOptions options,
      LongConsumer progress)
      throws IOException {
    Given given = options.with("document_id", documentId).change(changes).given();
    var request = (UpdateDocumentRequest) request(given).build();
    check(request.getContentCase() == UpdateDocumentRequest.ContentCase.CONTENT_NOT_SET);
    DocumentUpdate update =
        DocumentUpdate.newBuilder()
            .setDocumentId(documentId)
            .setDraft(request.getDraft())
            .setUpdateMask(request.getUpdateMask())
            .build();
    UploadDocumentHeader.Builder header =
        UploadDocumentHeader.newBuilder()
            .setAgentId(request.getAgentId())
            .setRequestId(request.getRequestId())
            .setUpdate(update);
    if (request.hasPrecondition()) {
      header.setPrecondition(request.getPrecondition());
    }
    if (request.hasAgentPrecondition()) {
      header.setAgentPrecondition(request.getAgentPrecondition());
    }
    return send(header.build(), given.timeout(), file, progress);
  }

  private Document send(
      UploadDocumentHeader header,
      Optional<Duration> timeout,
      InputStream file,
      LongConsumer progress)
      throws IOException {
    return new Upload(connection().channel(), timeout).send(header, file, progress);
  }

  private static void check(boolean hasNoContent) {
    if (!hasNoContent) {
      throw new IllegalArgumentException(
          "an upload's file is the content of the document: leave out text, data and url");
    }
  }
}
