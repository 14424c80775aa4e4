package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.memoryd.v1.EntryCondition;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.NoteCondition;
import io.memoryd.v1.RecordFilter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ListOptionsTest {
  @Test
  void selectionsAreTheFilterOfTheRequest() {
    ListOptions selected =
        ListOptions.DEFAULT
            .withFilter(RecordFilter.newBuilder().addIds("k").build())
            .withKeyPrefix("k")
            .withEntryTypes(EntryType.ENTRY_TYPE_EVENT)
            .withAllTags("x")
            .withAnyTags("y", "z")
            .withUserIds("ann", "");
    RecordFilter expected =
        RecordFilter.newBuilder()
            .addIds("k")
            .addAllTags("x")
            .addAnyTags("y")
            .addAnyTags("z")
            .addUserIds("ann")
            .addUserIds("")
            .setEntry(
                EntryCondition.newBuilder()
                    .addKeyPrefixes("k")
                    .addTypes(EntryType.ENTRY_TYPE_EVENT))
            .build();
    assertEquals(expected, filter(selected));
  }

  @Test
  void selectionsAndFiltersCombineInAnyOrder() {
    RecordFilter important =
        RecordFilter.newBuilder()
            .addAllTags("y")
            .setEntry(EntryCondition.newBuilder().setMinImportance(0.5))
            .build();
    RecordFilter expected =
        RecordFilter.newBuilder()
            .addAllTags("x")
            .addAllTags("y")
            .setEntry(EntryCondition.newBuilder().setMinImportance(0.5).addKeyPrefixes("k"))
            .build();
    ListOptions tagged = ListOptions.DEFAULT.withAllTags("x").withKeyPrefix("k");
    assertEquals(expected, filter(tagged.withFilter(important)));
    ListOptions byName = ListOptions.DEFAULT.withAllTags("x").withFilter(important);
    assertEquals(expected, filter(byName.withKeyPrefix("k")));
  }

  @Test
  void selectionsThatWouldSelectMoreAreRefused() {
    ListOptions anns = ListOptions.DEFAULT.withUserIds("ann");
    RecordFilter notes = RecordFilter.newBuilder().setNote(NoteCondition.newBuilder()).build();
    for (Executable refused :
        List.<Executable>of(
            anns::withAllUsers,
            () -> anns.withUserIds("bob"),
            () -> anns.withFilter(RecordFilter.newBuilder().addUserIds("bob").build()),
            () -> ListOptions.DEFAULT.withAllUsers().withUserIds("ann"),
            () -> ListOptions.DEFAULT.withAnyTags("x").withAnyTags("y"),
            () -> ListOptions.DEFAULT.withKeyPrefix("x").withFilter(notes),
            () -> ListOptions.DEFAULT.withUserIds(),
            () -> ListOptions.DEFAULT.withAnyTags(),
            () -> ListOptions.DEFAULT.withEntryTypes())) {
      assertThrows(IllegalArgumentException.class, refused);
    }
  }

  private static RecordFilter filter(ListOptions options) {
    return options.toMessage(Place.root("agent")).getFilter();
  }
}
