package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.memoryd.v1.EntryCondition;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.RecordFilter;
import org.junit.jupiter.api.Test;

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
  void theLastSelectionOfUsersApplies() {
    ListOptions anns = ListOptions.DEFAULT.withUserIds("ann");
    RecordFilter all = RecordFilter.newBuilder().setAllUsers(true).build();
    assertEquals(all, filter(anns.withAllUsers()));
    assertEquals(filter(anns), filter(anns.withAllUsers().withUserIds("ann")));
    assertEquals(
        RecordFilter.getDefaultInstance(),
        filter(anns.withFilter(RecordFilter.getDefaultInstance())));
  }

  private static RecordFilter filter(ListOptions options) {
    return options.toMessage().getFilter();
  }
}
