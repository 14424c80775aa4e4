package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Timestamp;
import io.memoryd.client.error.CacheFullException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.EventType;
import io.memoryd.v1.WatchPhase;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MirrorTest {
  private static final EventType CREATED = EventType.EVENT_TYPE_SCOPE_CREATED;
  private static final EventType DISPOSED = EventType.EVENT_TYPE_SCOPE_DISPOSED;

  private long now;

  private Mirror mirror(long bytesMax) {
    Mirror mirror = new Mirror(bytesMax, 0, () -> now);
    mirror.apply(MirrorEvents.complete(0));
    return mirror;
  }

  /** Returns the JSON text that a look-up finds, or an empty one. */
  private static String text(Mirror mirror, String scopeId, String key) {
    return mirror.find(scopeId, key, false).message().getValueJson();
  }

  @Test
  void aCommitIsAppliedWhole() {
    Mirror mirror = mirror(Long.MAX_VALUE);
    mirror.apply(
        MirrorEvents.live(1, MirrorEvents.set("", "a", "1")).toBuilder()
            .setRevisionContinues(true)
            .build());
    mirror.apply(MirrorEvents.message(WatchPhase.WATCH_PHASE_OPENED, 0));
    assertEquals("", text(mirror, "", "a"));
    assertEquals(0, mirror.revision());
    mirror.apply(MirrorEvents.live(1, MirrorEvents.set("", "b", "2")));
    assertEquals("12", text(mirror, "", "a") + text(mirror, "", "b"));
    assertEquals(1, mirror.revision());
  }

  @Test
  void anEntryEndsWithItsDeadlineAndWhatIsBehindItIsFound() {
    Mirror mirror = mirror(Long.MAX_VALUE);
    Timestamp year9999 = Timestamp.newBuilder().setSeconds(253_402_300_799L).build();
    Timestamp soon = Timestamp.newBuilder().setSeconds(1).setNanos(5).build();
    Entry.Builder root = Entry.newBuilder().setKey("k").setValueJson("1").setExpireTime(year9999);
    Entry.Builder own =
        Entry.newBuilder().setScopeId("s").setKey("k").setValueJson("2").setExpireTime(soon);
    mirror.apply(
        MirrorEvents.live(
            1,
            MirrorEvents.set(root),
            MirrorEvents.scope(CREATED, "s", ""),
            MirrorEvents.set(own)));
    now = 1_000_000_004;
    assertEquals("2", text(mirror, "s", "k"));
    now++;
    assertEquals("1", text(mirror, "s", "k"));
    assertSame(MirroredEntry.NONE, mirror.find("s", "k", true));
    List<MirroredEntry> listed = List.copyOf(mirror.entries("s", "", true));
    assertEquals(1, listed.size());
    assertEquals("1", listed.get(0).message().getValueJson());
  }

  @Test
  void aScopeEndsWithItsEntriesAndThoseOfOthersStay() {
    Mirror mirror = mirror(Long.MAX_VALUE);
    mirror.apply(
        MirrorEvents.live(
            1,
            MirrorEvents.scope(CREATED, "s", ""),
            MirrorEvents.scope(CREATED, "below", "s"),
            MirrorEvents.scope(CREATED, "s", ""),
            MirrorEvents.set("s", "k", "1"),
            MirrorEvents.set("unknown", "k", "2"),
            MirrorEvents.set("", "root", "3")));
    assertEquals("13", text(mirror, "below", "k") + text(mirror, "below", "root"));
    assertNull(mirror.find("unknown", "k", false));
    mirror.apply(
        MirrorEvents.live(2, MirrorEvents.cleared(EventType.EVENT_TYPE_ENTRIES_CLEARED, "s")));
    assertEquals("", text(mirror, "below", "k"));
    mirror.apply(MirrorEvents.live(3, MirrorEvents.scope(DISPOSED, "s", "")));
    assertNull(mirror.find("s", "root", false));
    assertEquals("3", text(mirror, "", "root"));
  }

  @Test
  void theMemoryOfWhatIsOverwrittenAndRemovedIsFreeAgain() {
    Mirror mirror = mirror(5_000);
    for (int revision = 1; revision < 20; revision++) {
      mirror.apply(MirrorEvents.live(revision, MirrorEvents.set("", "k", "1".repeat(2_000))));
    }
    mirror.apply(MirrorEvents.live(20, MirrorEvents.note("n", "text")));
    assertEquals(4_005, mirror.sizeBytes());
    mirror.apply(
        MirrorEvents.live(
            21,
            MirrorEvents.removed("k"),
            MirrorEvents.cleared(EventType.EVENT_TYPE_NOTES_CLEARED, "")));
    assertEquals(0, mirror.sizeBytes());
    assertEquals(Map.of(), mirror.notes());
    var large = MirrorEvents.live(22, MirrorEvents.set("", "k", "1".repeat(6_000)));
    CacheFullException full = assertThrows(CacheFullException.class, () -> mirror.apply(large));
    assertTrue(full.getMessage().contains("5000 bytes"), full.getMessage());
  }

  @Test
  void aLowerRevisionIsOfALaterLifeAlsoWhereNoRecordIsSelected() {
    Mirror mirror = mirror(Long.MAX_VALUE);
    LongPredicate reaches = revision -> Mark.of(revision, Mark.at(mirror)).isReachedBy(mirror);
    mirror.apply(MirrorEvents.complete(50));
    assertTrue(reaches.test(0) && reaches.test(50));
    assertFalse(reaches.test(10) || reaches.test(51));
    mirror.apply(MirrorEvents.live(51, MirrorEvents.agentEnded()));
    mirror.apply(MirrorEvents.live(51));
    assertTrue(reaches.test(1));
    mirror.apply(MirrorEvents.live(60));
    assertFalse(reaches.test(59));
  }

  @Test
  void aRevisionOfALaterLifeIsNotReachedByAnEarlierOne() {
    Mirror mirror = mirror(Long.MAX_VALUE);
    mirror.apply(MirrorEvents.live(5, MirrorEvents.set("", "k", "1")));
    Mark ended = Mark.of(0, Mark.at(mirror));
    Mark foreign = Mark.of(3, Mark.at(mirror));
    assertFalse(ended.isReachedBy(mirror));
    assertFalse(foreign.isReachedBy(mirror));
    assertTrue(new Mark(5, 0).isReachedBy(mirror));
    mirror.apply(MirrorEvents.live(6, MirrorEvents.agentEnded()));
    assertTrue(ended.isReachedBy(mirror));
    assertTrue(Mark.of(0, Mark.at(mirror)).isReachedBy(mirror));
    assertEquals("", text(mirror, "", "k"));
    Mark again = Mark.of(7, Mark.at(mirror));
    assertFalse(again.isReachedBy(mirror));
    mirror.apply(MirrorEvents.live(7, MirrorEvents.set("", "k", "1")));
    assertTrue(again.isReachedBy(mirror));
  }

  @Test
  void aMirrorThatIsNotCompleteHasReachedNothing() {
    assertFalse(Mark.ANY.isReachedBy(new Mirror(1, 0, () -> 0)));
    assertFalse(new Mark(0, 0).isReachedBy(new Mirror(1, 0, () -> 0)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"text\"",
        "\"\"",
        "\"a\\\"b\\u00e9\"",
        " 5 ",
        "5",
        "-0",
        "1e3",
        "2.50",
        "9223372036854775808",
        "true",
        "false",
        "null",
        "{\"a\":1}",
        "[1]"
      })
  void valuesAreThoseOfTheMapper(String text) {
    Values values = new Values(Values.strictMapper());
    MirroredEntry entry = new MirroredEntry(Entry.newBuilder().setValueJson(text).build());
    List<Class<?>> types =
        List.of(
            String.class,
            int.class,
            Integer.class,
            Long.class,
            Double.class,
            Boolean.class,
            Json.class,
            JsonNode.class,
            Object.class,
            List.class);
    for (int round = 0; round < 2; round++) {
      for (Class<?> type : types) {
        Object expected;
        try {
          expected = Optional.ofNullable(values.read(text, type, ""));
        } catch (WrongTypeException mismatch) {
          assertThrows(WrongTypeException.class, () -> entry.value(type, values));
          continue;
        }
        assertEquals(expected, entry.value(type, values));
        assertEquals(expected, entry.value(type, values));
      }
    }
  }

  @Test
  void aValueThatCanBeChangedIsDecodedByEachRead() {
    Values values = new Values(Values.strictMapper());
    MirroredEntry list = new MirroredEntry(Entry.newBuilder().setValueJson("[1]").build());
    MirroredEntry number = new MirroredEntry(Entry.newBuilder().setValueJson("1000").build());
    for (Class<?> type : List.of(JsonNode.class, List.class, Object.class)) {
      assertNotSame(list.value(type, values).orElseThrow(), list.value(type, values).orElseThrow());
    }
    assertSame(
        number.value(Integer.class, values).orElseThrow(),
        number.value(Integer.class, values).orElseThrow());
  }
}
