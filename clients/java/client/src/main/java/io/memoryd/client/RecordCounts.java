package io.memoryd.client;

import io.memoryd.v1.RecordCount;
import io.memoryd.v1.RecordKind;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;

/** Numbers of records by kind, such as those that {@link Agent#end} has removed. */
public final class RecordCounts {
  private RecordCounts() {}

  /** Returns the numbers by kind. Kinds without records are absent. */
  public static Map<RecordKind, Long> byKind(Collection<RecordCount> counts) {
    Map<RecordKind, Long> byKind = new EnumMap<>(RecordKind.class);
    for (RecordCount count : counts) {
      // Several kinds of a newer server may be UNRECOGNIZED.
      byKind.merge(count.getKind(), count.getCount(), Long::sum);
    }
    return byKind;
  }
}
