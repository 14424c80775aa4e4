package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.ErrorTrailers;
import io.memoryd.client.error.InternalErrorException;
import io.memoryd.client.error.RecordExistsException;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.v1.ClearEntriesRequest;
import io.memoryd.v1.CommitRequest;
import io.memoryd.v1.CommitResponse;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.CreateScopeResponse;
import io.memoryd.v1.DeleteNoteRequest;
import io.memoryd.v1.DeleteNoteResponse;
import io.memoryd.v1.DisposeScopeRequest;
import io.memoryd.v1.GetOrSetEntryRequest;
import io.memoryd.v1.MergeScopeRequest;
import io.memoryd.v1.Precondition;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.RemoveEntryResponse;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TransactionTest {
  private static final Write DELETE_NOTE =
      Write.newBuilder().setDeleteNote(DeleteNoteRequest.newBuilder().setNoteId("n")).build();

  private final List<CommitRequest> commits = Collections.synchronizedList(new ArrayList<>());
  private final Queue<StatusRuntimeException> failures = new ArrayDeque<>();
  private final CountDownLatch mayRespond = new CountDownLatch(1);
  private boolean isHeld;
  private CommitResponse answer = CommitResponse.getDefaultInstance();
  private Server server;
  private MemorydClient client;
  private Transaction tx;

  /** Fails as the test has set, and then returns its answer. */
  private final class TransactionService extends TransactionServiceGrpc.TransactionServiceImplBase {
    @Override
    public void commit(CommitRequest request, StreamObserver<CommitResponse> observer) {
      commits.add(request);
      if (isHeld) {
        await(mayRespond);
      }
      StatusRuntimeException failure = failures.poll();
      if (failure != null) {
        observer.onError(failure);
      } else {
        observer.onNext(answer);
        observer.onCompleted();
      }
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new TransactionService())
            .build()
            .start();
    client = MemorydClient.builder().address("127.0.0.1:" + server.getPort()).connect();
    tx = client.agent("a").transaction();
  }

  @AfterEach
  void stop() {
    mayRespond.countDown();
    client.close();
    server.shutdownNow();
  }

  @Test
  void theChangesAreSentInTheirOrder() {
    EntryOptions options = EntryOptions.DEFAULT.withTags("x");
    tx.set("k", 1, options, Condition.expectedRevision(7));
    tx.getOrSet("d", "v", options);
    tx.getOrSetLocal("d", "v", EntryOptions.DEFAULT);
    tx.remove("k", Condition.mustExist());
    tx.clear();
    tx.scope("task", ScopeOptions.DEFAULT.withUserId("ann"));
    TransactionScope scope = tx.attach("s");
    scope.set("k", 2);
    scope.scope("step");
    scope.merge(MergeConflict.KEEP_PARENT);
    scope.dispose();
    tx.add(DELETE_NOTE);
    assertEquals(11, tx.size());
    CommitOptions conditional =
        CommitOptions.DEFAULT.withCondition(Condition.expectedRevision(3)).withRequestId("r");
    // The answer has no results.
    assertThrows(InternalErrorException.class, () -> tx.commit(conditional));
    CommitRequest expected =
        CommitRequest.newBuilder()
            .setAgentId("a")
            .setRequestId("r")
            .setAgentPrecondition(Precondition.newBuilder().setExpectedRevision(3))
            .addWrites(
                Write.newBuilder()
                    .setSetEntry(
                        SetEntryRequest.newBuilder()
                            .setKey("k")
                            .setValueJson("1")
                            .addTags("x")
                            .setPrecondition(Precondition.newBuilder().setExpectedRevision(7))))
            .addWrites(
                Write.newBuilder()
                    .setGetOrSetEntry(
                        GetOrSetEntryRequest.newBuilder()
                            .setKey("d")
                            .setValueJson("\"v\"")
                            .addTags("x")))
            .addWrites(
                Write.newBuilder()
                    .setGetOrSetEntry(
                        GetOrSetEntryRequest.newBuilder()
                            .setKey("d")
                            .setValueJson("\"v\"")
                            .setLocalOnly(true)))
            .addWrites(
                Write.newBuilder()
                    .setRemoveEntry(
                        RemoveEntryRequest.newBuilder()
                            .setKey("k")
                            .setPrecondition(Precondition.newBuilder().setMustExist(true))))
            .addWrites(Write.newBuilder().setClearEntries(ClearEntriesRequest.newBuilder()))
            .addWrites(
                Write.newBuilder()
                    .setCreateScope(
                        CreateScopeRequest.newBuilder().setName("task").setUserId("ann")))
            .addWrites(
                Write.newBuilder()
                    .setSetEntry(
                        SetEntryRequest.newBuilder().setScopeId("s").setKey("k").setValueJson("2")))
            .addWrites(
                Write.newBuilder()
                    .setCreateScope(
                        CreateScopeRequest.newBuilder().setName("step").setParentScopeId("s")))
            .addWrites(
                Write.newBuilder()
                    .setMergeScope(
                        MergeScopeRequest.newBuilder()
                            .setScopeId("s")
                            .setOverwrite(false)
                            .setDispose(true)))
            .addWrites(
                Write.newBuilder()
                    .setDisposeScope(DisposeScopeRequest.newBuilder().setScopeId("s")))
            .addWrites(DELETE_NOTE)
            .build();
    assertEquals(List.of(expected), commits);
  }

  @Test
  void aRequestTakesTheAgentAndTheIdOfTheCommit() {
    DeleteNoteRequest other =
        DELETE_NOTE.getDeleteNote().toBuilder().setAgentId("b").setRequestId("r").build();
    tx.add(Write.newBuilder().setDeleteNote(other).build());
    assertThrows(InternalErrorException.class, tx::commit);
    assertEquals(List.of(DELETE_NOTE), commits.get(0).getWritesList());
    DeleteNoteRequest conditional =
        other.toBuilder()
            .setAgentPrecondition(Precondition.newBuilder().setMustExist(true))
            .build();
    Write refused = Write.newBuilder().setDeleteNote(conditional).build();
    assertThrows(IllegalArgumentException.class, () -> tx.add(refused));
  }

  @Test
  void theResultsAreThereAfterTheCommit() {
    answer =
        CommitResponse.newBuilder()
            .setRevision(3)
            .addResults(
                WriteResult.newBuilder()
                    .setSetEntry(SetEntryResponse.newBuilder().setCreated(true)))
            .addResults(
                WriteResult.newBuilder()
                    .setRemoveEntry(RemoveEntryResponse.newBuilder().setDeleted(true)))
            .addResults(WriteResult.newBuilder().setCreateScope(createdScope("s")))
            .addResults(
                WriteResult.newBuilder()
                    .setDeleteNote(DeleteNoteResponse.newBuilder().setRevision(3)))
            .build();
    Written<SetEntryResponse> stored = tx.set("k", 1);
    Written<Boolean> removed = tx.remove("j");
    Written<Scope> scope = tx.scope("task");
    Written<WriteResult> deleted = tx.add(DELETE_NOTE);
    assertFalse(stored.isCommitted());
    assertThrows(IllegalStateException.class, stored::result);
    assertEquals(3, tx.commit());
    assertTrue(stored.isCommitted());
    assertTrue(stored.result().getCreated());
    assertTrue(removed.result());
    assertEquals("a", scope.result().agentId());
    assertEquals("s", scope.result().scopeId());
    assertEquals(3, deleted.result().getDeleteNote().getRevision());
  }

  @Test
  void anEmptyTransactionIsNotSent() {
    CommitOptions conditional = CommitOptions.DEFAULT.withCondition(Condition.mustExist());
    assertEquals(0, tx.commit(conditional));
    assertEquals(List.of(), commits);
  }

  @Test
  void aValueThatJsonCannotRepresentIsNoPartOfIt() {
    assertThrows(UnsupportedValueException.class, () -> tx.set("k", Double.NaN));
    assertThrows(UnsupportedValueException.class, () -> tx.getOrSet("k", Double.NaN));
    assertEquals(0, tx.size());
  }

  @Test
  void aRepetitionHasTheSameRequestId() {
    answer = CommitResponse.newBuilder().addResults(WriteResult.getDefaultInstance()).build();
    failures.add(Status.UNAVAILABLE.asRuntimeException());
    failures.add(Status.ABORTED.asRuntimeException());
    tx.clear();
    assertThrows(CallFailedException.class, tx::commit);
    tx.commit();
    assertEquals(3, commits.size());
    assertEquals(1, commits.stream().map(CommitRequest::getRequestId).distinct().count());
    assertFalse(commits.get(0).getRequestId().isEmpty());
  }

  @Test
  void aCommittedTransactionTakesNoMoreChanges() {
    answer = CommitResponse.newBuilder().addResults(WriteResult.getDefaultInstance()).build();
    tx.clear();
    tx.commit();
    assertThrows(IllegalStateException.class, tx::clear);
    assertThrows(IllegalStateException.class, tx::commit);
  }

  @Test
  void aRefusedTransactionHasNoResultsAndNamesTheChange() {
    ErrorInfo info =
        ErrorInfo.newBuilder()
            .setDomain("memoryd")
            .setReason("ERROR_REASON_RECORD_EXISTS")
            .putMetadata("write_index", "1")
            .build();
    failures.add(Status.ALREADY_EXISTS.asRuntimeException(ErrorTrailers.of(info)));
    failures.add(Status.ALREADY_EXISTS.asRuntimeException(new Metadata()));
    Written<SetEntryResponse> stored = tx.set("k", 1);
    var refused = assertThrows(RecordExistsException.class, tx::commit);
    assertEquals(OptionalInt.of(1), refused.writeIndex());
    assertFalse(stored.isCommitted());
    var other = assertThrows(CallFailedException.class, tx::commit);
    assertEquals(OptionalInt.empty(), other.writeIndex());
  }

  @Test
  void anAsynchronousCommitTakesNoChangesUntilItsEnd() {
    answer =
        CommitResponse.newBuilder()
            .setRevision(3)
            .addResults(WriteResult.newBuilder().setDeleteNote(DeleteNoteResponse.newBuilder()))
            .build();
    isHeld = true;
    Transaction own = client.agent("a").async().transaction();
    Written<WriteResult> deleted = own.add(DELETE_NOTE);
    CompletableFuture<Long> committed = own.commitAsync();
    assertThrows(IllegalStateException.class, own::clear);
    assertThrows(IllegalStateException.class, own::commit);
    assertThrows(IllegalStateException.class, own::commitAsync);
    mayRespond.countDown();
    assertEquals(3, committed.join());
    assertTrue(deleted.result().hasDeleteNote());
    assertThrows(IllegalStateException.class, own::clear);
  }

  @Test
  void anAsynchronousCommitThatFailedMayBeRepeated() {
    answer = CommitResponse.newBuilder().addResults(WriteResult.getDefaultInstance()).build();
    failures.add(Status.ALREADY_EXISTS.asRuntimeException(new Metadata()));
    tx.clear();
    CompletableFuture<Long> refused = tx.commitAsync();
    var error = assertThrows(CompletionException.class, refused::join);
    assertTrue(error.getCause() instanceof CallFailedException);
    tx.commitAsync().join();
    assertEquals(1, commits.stream().map(CommitRequest::getRequestId).distinct().count());
  }

  @Test
  void aCancelledCommitMayBeRepeated() {
    answer = CommitResponse.newBuilder().addResults(WriteResult.getDefaultInstance()).build();
    isHeld = true;
    tx.clear();
    CompletableFuture<Long> cancelled = tx.commitAsync();
    cancelled.cancel(true);
    mayRespond.countDown();
    tx.commitAsync().join();
    assertThrows(IllegalStateException.class, tx::clear);
  }

  @Test
  void anEmptyTransactionIsNotSentByAnAsynchronousCommitEither() {
    assertEquals(0, tx.commitAsync().join());
    assertEquals(List.of(), commits);
  }

  @Test
  void theRootIsNoScopeToAttach() {
    assertThrows(IllegalArgumentException.class, () -> tx.attach(""));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static CreateScopeResponse.Builder createdScope(String scopeId) {
    return CreateScopeResponse.newBuilder()
        .setScope(io.memoryd.v1.Scope.newBuilder().setScopeId(scopeId));
  }
}
