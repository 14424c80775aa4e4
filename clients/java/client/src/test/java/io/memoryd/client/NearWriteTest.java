package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.grpc.Status;
import io.memoryd.client.error.CacheFullException;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.StaleReadException;
import io.memoryd.v1.RestoreSnapshotRequest;
import io.memoryd.v1.RestoreSnapshotResponse;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Near caches of the agent "a" at revision 5, without a watch. */
class NearWriteTest {
  private static final NearCacheOptions SERVING =
      NearCacheOptions.DEFAULT.withAnyStaleness().withWhenStale(StaleRead.SERVE);

  private final NearCopies copies = new NearCopies(null);
  private NearCopy copy;

  @BeforeEach
  void open() {
    copy = open(SERVING);
    copies.enter(copy);
  }

  private static NearCopy open(NearCacheOptions options) {
    NearCopy copy = new NearCopy(null, "a", options);
    copy.state().replace(loaded(5), NearState.now());
    return copy;
  }

  private static Mirror loaded(long revision) {
    Mirror mirror = new Mirror(Long.MAX_VALUE, 0, () -> 0);
    mirror.apply(MirrorEvents.complete(revision, MirrorEvents.set("", "k", "1")));
    return mirror;
  }

  private static boolean serves(NearCopy copy) {
    return copy.state().read(mirror -> true) != null;
  }

  private static SetEntryRequest set(String agentId) {
    return SetEntryRequest.newBuilder().setAgentId(agentId).build();
  }

  private static SetEntryResponse stored(long revision) {
    return SetEntryResponse.newBuilder().setRevision(revision).build();
  }

  private CompletableFuture<Void> write(Message request, Message response) {
    NearWrite write = new NearWrite(copies);
    write.begin(request);
    return write.end(response);
  }

  /** Makes a write that does not wait. */
  private void writeOnly(Message request, Message response) {
    NearWrite write = new NearWrite(copies);
    write.begin(request);
    write.giveUp();
    assertTrue(write.end(response).isDone());
  }

  @Test
  void aWriteWaitsUntilANearCacheHasIt() {
    CompletableFuture<Void> seen = write(set("a"), stored(6));
    assertFalse(seen.isDone());
    copy.state().apply(MirrorEvents.live(6));
    assertTrue(seen.isDone());
    assertTrue(serves(copy));
  }

  @Test
  void readsAskTheDaemonWhileAWriteIsOwed() {
    writeOnly(set("a"), stored(7));
    writeOnly(set("a"), stored(6));
    for (long revision = 5; revision < 8; revision++) {
      copy.state().apply(MirrorEvents.live(revision));
      assertEquals(revision == 7, serves(copy));
    }
  }

  @Test
  void aWriteWaitsForANearCacheThatWasOpenedMeanwhile() {
    copies.exit(copy);
    NearWrite write = new NearWrite(copies);
    write.begin(set("a"));
    copies.enter(copy);
    CompletableFuture<Void> seen = write.end(stored(6));
    assertFalse(seen.isDone());
    copy.state().apply(MirrorEvents.live(6));
    assertTrue(seen.isDone());
  }

  @Test
  void otherCallsDoNotConcernANearCache() {
    writeOnly(set("b"), stored(9));
    writeOnly(set("a"), stored(0));
    writeOnly(set("a"), RestoreSnapshotResponse.getDefaultInstance());
    assertTrue(serves(copy));
    copies.exit(copy);
    writeOnly(set("a"), stored(9));
    assertTrue(serves(copy));
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', false, true",
    "'', '', true, false",
    "a, '', true, false",
    "a, '', false, true",
    "b, '', false, false",
    "b, a, false, true",
    "a, b, false, false"
  })
  void aRestoreConcernsTheAgentThatItChangesOrAll(
      String agentId, String clone, boolean dryRun, boolean concerns) {
    RestoreSnapshotRequest request =
        RestoreSnapshotRequest.newBuilder()
            .setAgentId(agentId)
            .setAsAgentId(clone)
            .setDryRun(dryRun)
            .build();
    long revision = agentId.isEmpty() ? 0 : 9;
    writeOnly(request, RestoreSnapshotResponse.newBuilder().setRevision(revision).build());
    assertEquals(!concerns, serves(copy));
    copy.state().prove(new Mark(5, 0), NearState.now() + 1);
    assertTrue(serves(copy), "it asks the daemon after a proof");
  }

  @Test
  void aWriteAtALowerRevisionIsOwedUntilAProofOrAnotherLoad() {
    // A request was repeated, whose first response is returned again.
    assertTrue(write(set("a"), stored(3)).isDone());
    assertFalse(serves(copy));
    assertTrue(copy.state().needsProof());
    copy.state().prove(new Mark(5, 0), NearState.now() + 1);
    assertTrue(serves(copy));
    assertFalse(copy.state().needsProof());
    // The store is another one.
    write(set("a"), stored(3));
    assertFalse(serves(copy));
    copy.state().replace(loaded(3), 0);
    assertTrue(serves(copy));
  }

  @Test
  void aProofBeginsBeforeWhatItShows() {
    NearCopy bounded = open(NearCacheOptions.DEFAULT.withWhenStale(StaleRead.REFUSE));
    bounded.state().owe(new Mark(7, 0));
    bounded.state().prove(new Mark(6, 0), NearState.now());
    assertThrows(StaleReadException.class, () -> serves(bounded));
    bounded.state().apply(MirrorEvents.live(6));
    assertTrue(serves(bounded), "the proof began after the write");
    bounded.state().prove(new Mark(6, 0), 0);
    bounded.state().owe(new Mark(8, 0));
    bounded.state().prove(new Mark(6, 0), 0);
    assertThrows(StaleReadException.class, () -> serves(bounded));
  }

  @Test
  void writesDoNotWaitForANearCacheThatHasFailedOrIsClosed() {
    copy.state().fail(CallFailedException.from(Status.PERMISSION_DENIED, null));
    assertTrue(write(set("a"), stored(6)).isDone());
    assertFalse(serves(copy));
    NearCopy full = open(SERVING);
    full.state().fail(new CacheFullException(1));
    assertFalse(serves(full));
    assertEquals(0, full.state().sizeBytes());
    NearCopy closed = open(SERVING);
    CompletableFuture<Boolean> wait = closed.state().reach(new Mark(6, 0));
    closed.state().close();
    assertFalse(wait.join());
    closed.state().replace(loaded(6), NearState.now());
    assertFalse(serves(closed));
  }

  @Test
  void aWaitEndsWithAMessageThatTakesTooMuchMemory() {
    NearCopy small = new NearCopy(null, "a", SERVING.withMaxBytes(2_000));
    CompletableFuture<Boolean> wait = small.state().reach(new Mark(6, 0));
    var large = MirrorEvents.complete(6, MirrorEvents.set("", "k", "1".repeat(3_000)));
    assertThrows(CacheFullException.class, () -> small.state().apply(large));
    assertTrue(wait.isDone());
  }

  @Test
  void errorsOfAWatchThatMayBeginAgain() {
    for (Status again : new Status[] {Status.UNAVAILABLE, Status.DATA_LOSS, Status.OUT_OF_RANGE}) {
      assertTrue(NearCopy.beginsAgain(CallFailedException.from(again, null)));
    }
    for (Status last : new Status[] {Status.PERMISSION_DENIED, Status.INVALID_ARGUMENT}) {
      assertFalse(NearCopy.beginsAgain(CallFailedException.from(last, null)));
    }
    assertFalse(NearCopy.beginsAgain(new CacheFullException(1)));
    CallFailedException denied = CallFailedException.from(Status.PERMISSION_DENIED, null);
    NearCopy refusing = open(SERVING.withWhenStale(StaleRead.REFUSE));
    refusing.state().fail(denied);
    refusing.state().owe(new Mark(6, 0));
    StaleReadException refused = assertThrows(StaleReadException.class, () -> serves(refusing));
    assertEquals(denied, refused.getCause());
  }
}
