package io.memoryd.client;

import io.memoryd.v1.CommitRequest;
import io.memoryd.v1.CommitResponse;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
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
 * <p>Nothing is sent before {@link #commit}. Each method returns a {@link Written}, which has the
 * result after it.
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
   * Adds a change of any kind: the request of its method, without an agent, a request id and a
   * condition on the agent. The result is the response of the method. Records in it have no
   * content, which the caller has sent.
   */
  public Written<WriteResult> add(Write write) {
    return writes().add(BoundUser.bind(write, place().userId()), Function.identity());
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
    writes().checkOpen();
    if (size() == 0) {
      return 0;
    }
    CommitRequest.Builder request =
        options.toMessage().setAgentId(agentId()).addAllWrites(writes().messages());
    if (request.getRequestId().isEmpty()) {
      request.setRequestId(requestId);
    }
    CommitRequest built = request.build();
    CommitResponse answer =
        Connection.perform(
            () -> TransactionServiceGrpc.newBlockingStub(connection().channel()).commit(built));
    writes().settle(answer.getResultsList());
    return answer.getRevision();
  }
}
