package io.memoryd.samples;

import io.memoryd.client.Agent;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.RecordCounts;
import io.memoryd.client.Scope;
import io.memoryd.client.Watch;
import io.memoryd.client.error.MemorydException;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.Event;
import io.memoryd.v1.EventType;
import io.memoryd.v1.GetAgentStatsRequest;
import io.memoryd.v1.GetServerInfoRequest;
import io.memoryd.v1.RecordKind;
import java.util.List;
import java.util.Map;

/**
 * Shows the main operations of the client in order. Needs a running daemon, at {@code
 * MEMORYD_ADDRESS} or {@code 127.0.0.1:7600}.
 */
public final class FirstSteps {
  private static final EntryOptions PREFERENCE =
      EntryOptions.DEFAULT.withEntryType(EntryType.ENTRY_TYPE_PREFERENCE);

  private FirstSteps() {}

  /** Runs the steps. Exits with status 1 if the daemon refuses or cannot be reached. */
  public static void main(String[] arguments) {
    try {
      reset();
      takeFirstSteps();
      end();
    } catch (MemorydException failed) {
      giveUp(failed);
    }
  }

  private static void giveUp(MemorydException failed) {
    System.err.println("first steps: " + failed.getMessage());
    System.exit(1);
  }

  private static void reset() {
    try (MemorydClient client = MemorydClient.builder().connect()) {
      var info = client.serverService().getServerInfo(GetServerInfoRequest.getDefaultInstance());
      System.out.println("memoryd " + info.getVersion() + " at " + client.address());
      boolean ended = client.agent("first-steps").end().getDeleted();
      System.out.println("an earlier agent ended: " + ended);
    }
  }

  private static void takeFirstSteps() {
    // [first steps]
    try (MemorydClient client = MemorydClient.builder().origin("first-steps").connect()) {
      Agent agent = client.agent("first-steps");
      try (Watch watch = agent.watch()) { // no commit after this is missed
        agent.set("user", Map.of("name", "Ada", "likes", List.of("chess", "tea")), PREFERENCE);
        System.out.println("user: " + agent.get("user").orElseThrow());
        System.out.println("nothing there: " + agent.get("nothing", String.class).isEmpty());

        // No concurrent update is lost, and only one of all callers runs its factory.
        agent.update("visits", Integer.class, 0, visits -> visits + 1);
        String greeting = agent.getOrSet("greeting", String.class, () -> "Good morning, Ada");
        System.out.println("greeting: " + greeting);

        // Reads in a scope fall back to its parent. Its end disposes it with what was not merged.
        try (Scope task = agent.scope("book a table")) {
          task.set("table", 7);
          System.out.println("in the task, visits: " + task.get("visits", Integer.class).get());
          task.merge();
        }
        System.out.println("after the task: " + agent.get("table", Integer.class).get());

        for (Event event : watch) {
          String change = event.getRevision() + " " + event.getType() + " ";
          switch (event.getSubjectCase()) {
            case ENTRY -> System.out.println(change + event.getEntry().getKey());
            case SCOPE -> System.out.println(change + event.getScope().getName());
            default -> System.out.println(change);
          }
          if (event.getType() == EventType.EVENT_TYPE_SCOPE_DISPOSED) {
            break;
          }
        }
      }
    }
    // [end]
  }

  private static void end() {
    try (MemorydClient client = MemorydClient.builder().connect()) {
      var request = GetAgentStatsRequest.newBuilder().setAgentId("first-steps").build();
      var stats = client.agentService().getAgentStats(request).getStats();
      System.out.println("bytes used: " + stats.getStorageBytes());
      var removed = RecordCounts.byKind(client.agent("first-steps").end().getClearedList());
      System.out.println("entries removed: " + removed.get(RecordKind.RECORD_KIND_ENTRY));
    }
  }
}
