package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.memoryd.v1.RecordCount;
import io.memoryd.v1.RecordKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordCountsTest {
  @Test
  void numbersAreByKind() {
    Map<RecordKind, Long> counts =
        RecordCounts.byKind(
            List.of(
                count(RecordKind.RECORD_KIND_ENTRY_VALUE, 3),
                count(RecordKind.RECORD_KIND_NOTE_VALUE, 1)));
    assertEquals(Map.of(RecordKind.RECORD_KIND_ENTRY, 3L, RecordKind.RECORD_KIND_NOTE, 1L), counts);
  }

  @Test
  void kindsOfANewerServerAreAddedUp() {
    assertEquals(
        Map.of(RecordKind.UNRECOGNIZED, 5L),
        RecordCounts.byKind(List.of(count(9_001, 2), count(9_002, 3))));
  }

  private static RecordCount count(int kind, long count) {
    return RecordCount.newBuilder().setKindValue(kind).setCount(count).build();
  }
}
