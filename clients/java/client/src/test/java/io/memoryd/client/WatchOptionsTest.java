package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.v1.EventCause;
import io.memoryd.v1.EventFilter;
import io.memoryd.v1.EventType;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.RecordKind;
import io.memoryd.v1.RecordView;
import io.memoryd.v1.WatchEventsRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class WatchOptionsTest {
  private static final Place ROOT = Place.root("agent");

  @Test
  void withoutSelectionsAllEventsOfTheAgentAreRequested() {
    WatchEventsRequest expected =
        WatchEventsRequest.newBuilder()
            .addFilters(EventFilter.newBuilder().addAgentIds("agent"))
            .build();
    assertEquals(expected, WatchOptions.DEFAULT.toMessage(ROOT));
  }

  @Test
  void selectionsAreTheFilterOfTheRequest() {
    WatchOptions selected =
        WatchOptions.DEFAULT
            .withKeyPrefix("u")
            .withEventTypes(EventType.EVENT_TYPE_ENTRY_SET)
            .withKinds(RecordKind.RECORD_KIND_ENTRY)
            .withCauses(EventCause.EVENT_CAUSE_REQUEST)
            .withConversationIds("c", "")
            .withUserIds("ann");
    EventFilter expected =
        EventFilter.newBuilder()
            .addAgentIds("agent")
            .addScopeIds("scope")
            .setIncludeDescendants(true)
            .setKeyPrefix("u")
            .addEventTypes(EventType.EVENT_TYPE_ENTRY_SET)
            .addKinds(RecordKind.RECORD_KIND_ENTRY)
            .addCauses(EventCause.EVENT_CAUSE_REQUEST)
            .setRecord(
                RecordFilter.newBuilder()
                    .addConversationIds("c")
                    .addConversationIds("")
                    .addUserIds("ann"))
            .build();
    assertEquals(
        List.of(expected), selected.toMessage(Place.root("agent").scope("scope")).getFiltersList());
  }

  @Test
  void selectionsThatWouldSelectMoreAreRefused() {
    WatchOptions anns = WatchOptions.DEFAULT.withUserIds("ann");
    for (Executable refused :
        List.<Executable>of(
            () -> anns.withUserIds("bob"),
            () -> anns.withRecords(RecordFilter.newBuilder().setAllUsers(true).build()),
            () -> WatchOptions.DEFAULT.withKeyPrefix("a").withKeyPrefix("b"),
            () -> WatchOptions.DEFAULT.withEventTypes(),
            () -> WatchOptions.DEFAULT.withKinds(),
            () -> WatchOptions.DEFAULT.withCauses(),
            () -> WatchOptions.DEFAULT.withConversationIds(),
            () -> WatchOptions.DEFAULT.withUserIds())) {
      assertThrows(IllegalArgumentException.class, refused);
    }
  }

  @Test
  void optionsSelectHowMuchEventsContain() {
    WatchEventsRequest request =
        WatchOptions.DEFAULT.withoutContent().withPrevious().toMessage(ROOT);
    assertEquals(RecordView.RECORD_VIEW_WITHOUT_CONTENT, request.getView());
    assertTrue(request.getIncludePrevious());
  }
}
