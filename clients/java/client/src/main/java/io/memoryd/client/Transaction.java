package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.memoryd.v1.CommitRequest;
import io.memoryd.v1.CommitResponse;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Up to 1,000 changes of one agent, of all kinds, that are made together, or not at all, in the
 * order in which they were collected. Each change finds what the earlier ones left. Not safe for
 * use by several threads.
 *
 * <pre>{@code
 * Transaction tx = agent.transaction();
 * Written<SetEntryResponse> stored = tx.set("status", "moved");
 * Written<WriteResult> note = tx.add(Write.newBuilder().setCreateNote(request).build());
 * tx.commit();
 * note.result().getCreateNote().getNote().getNoteId();
 * }</pre>
 *
 * <p>Nothing is sent before {@link #commit} or {@link #commitAsync}. Each method returns a {@link
 * Written}, which has the result after it.
 */
public final class Transaction extends Changes {
  private final String requestId = RequestIds.newRequestId();

  Transaction(Connection connection, Place place) {
    super(connection, place, new Writes());
  }

  /** Returns an existing scope, as part of the transaction. */
  public TransactionScope attach(String scopeId) {
    if (scopeId.isEmpty()) {
      throw new IllegalArgumentException(
          "an empty scope id names the root: use the transaction itself");
    }
    return new TransactionScope(connection(), place().scope(scopeId), writes());
  }

  /**
   * Adds a change of any kind: the request of its method, whose agent and request id are those of
   * the commit. The result is the response of the method. Records in it have no content, which the
   * caller has sent.
   *
   * @throws IllegalArgumentException if the request has a condition on the agent, which belongs to
   *     the commit
   */
  public Written<WriteResult> add(Write write) {
    return writes().add(BoundUser.bind(ofCommit(write), place().userId()), Function.identity());
  }

  /** Returns a change whose agent and request id are those of the commit. */
  private static Write ofCommit(Write write) {
    FieldDescriptor change =
        Write.getDescriptor().findFieldByNumber(write.getWriteCase().getNumber());
    if (change == null) {
      return write;
    }
    Write.Builder changed = write.toBuilder();
    Message.Builder request = changed.getFieldBuilder(change);
    for (FieldDescriptor field : request.getAllFields().keySet()) {
      switch (field.getName()) {
        case "agent_precondition" ->
            throw new IllegalArgumentException(
                "the condition is the agent's: give it to the commit");
        case "agent_id", "request_id" -> request.clearField(field);
        default -> {}
      }
    }
    return changed.build();
  }

  /** Returns the number of changes so far. */
  public int size() {
    return writes().messages().size();
  }

  /** Commits the changes as {@link #commit(CommitOptions)} does. */
  public long commit() {
    return commit(CommitOptions.DEFAULT);
  }

  /**
   * Makes the changes as one: all of them, or none, at one revision, which it returns. Without
   * changes nothing is sent, and the revision is 0. If it fails, it may be called again: the
   * changes are never made twice.
   *
   * <p>It throws the error of the change that is refused, whose {@link
   * io.memoryd.client.error.CallFailedException#writeIndex} is its position. Nothing has changed
   * then.
   *
   * @throws io.memoryd.client.error.AgentNotFoundException if the condition needs an agent, and
   *     there is none
   * @throws io.memoryd.client.error.RevisionMismatchException if the agent has another revision
   *     than the condition says
   * @throws IllegalStateException if the transaction is committed
   */
  public long commit(CommitOptions options) {
    if (isEmpty()) {
      return 0;
    }
    CommitRequest request = request(options);
    return settle(
        Connection.perform(
            () -> TransactionServiceGrpc.newBlockingStub(connection().channel()).commit(request)));
  }

  /** Commits the changes as {@link #commitAsync(CommitOptions)} does. */
  public CompletableFuture<Long> commitAsync() {
    return commitAsync(CommitOptions.DEFAULT);
  }

  /**
   * Does what {@link #commit(CommitOptions)} does, without blocking. The future completes with the
   * revision when each {@link Written} has its result, or exceptionally with the error that the
   * other method throws. To cancel it is to cancel the call, whose changes may have been made. The
   * transaction takes no changes meanwhile.
   *
   * @throws IllegalStateException if the transaction is committed, or is being committed
   */
  public CompletableFuture<Long> commitAsync(CommitOptions options) {
    if (isEmpty()) {
      return CompletableFuture.completedFuture(0L);
    }
    CommitRequest request = request(options);
    writes().beginCommit();
    CompletableFuture<CommitResponse> call =
        Futures.call(
            connection().channel(),
            TransactionServiceGrpc.getCommitMethod(),
            CallOptions.DEFAULT,
            request,
            Function.identity());
    CompletableFuture<Long> committed = new CompletableFuture<>();
    call.whenComplete(
        (response, error) -> {
          // Before the future completes, after which the caller may try again.
          writes().endCommit();
          if (error != null) {
            committed.completeExceptionally(error);
            return;
          }
          try {
            committed.complete(settle(response));
          } catch (RuntimeException failed) {
            committed.completeExceptionally(failed);
          }
        });
    committed.whenComplete((revision, error) -> call.cancel(true));
    return committed;
  }

  /** Returns true if there is nothing to commit. */
  private boolean isEmpty() {
    writes().checkOpen();
    return size() == 0;
  }

  private CommitRequest request(CommitOptions options) {
    CommitRequest.Builder request =
        options.toMessage().setAgentId(agentId()).addAllWrites(writes().messages());
    if (request.getRequestId().isEmpty()) {
      request.setRequestId(requestId);
    }
    return request.build();
  }

  private long settle(CommitResponse response) {
    writes().settle(response.getResultsList());
    return response.getRevision();
  }
}
