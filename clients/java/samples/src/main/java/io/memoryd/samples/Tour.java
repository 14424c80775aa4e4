package io.memoryd.samples;

import static io.memoryd.v1.PlanStepStatus.PLAN_STEP_STATUS_COMPLETED;

import io.memoryd.client.*;
import io.memoryd.client.error.MemorydException;
import io.memoryd.v1.Event;
import io.memoryd.v1.MessageRole;
import io.memoryd.v1.Note;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A tour of the client: each kind of memory once, errors, and a daemon that is killed on the way.
 *
 * <p>Run it while a daemon runs, at {@code MEMORYD_ADDRESS} or {@code 127.0.0.1:7600}. It asks for
 * the daemon to be killed and started again. The tours of all languages print the same lines.
 */
public final class Tour {
  private record Trip(String city, int nights) {}

  private Tour() {}

  /** Takes the tour. Exits with status 1 if the daemon refuses or cannot be reached. */
  public static void main(String[] arguments) throws Exception {
    try (MemorydClient client = MemorydClient.builder().origin("tour").connect()) {
      client.agent("tour").end();
      Agent agent = client.agent("tour").user("ada"); // all that is written and read here is Ada's
      workingMemory(agent);
      watchAcrossKill(agent);
      refusals(agent);
      nearCache(agent);
      records(agent);
      fragments(agent);
      compose(agent);
      client.agent("tour").end();
    } catch (MemorydException failed) {
      System.err.println("error: " + failed.getMessage());
      System.exit(1);
    }
  }

  private static void workingMemory(Agent agent) throws Exception {
    EntryOptions anHour = EntryOptions.DEFAULT.withTtl(Duration.ofHours(1));
    agent.set("trip", new Trip("Lisbon", 3), anHour);
    Trip trip = agent.get("trip", Trip.class).orElseThrow();
    var entry = agent.getEntry("trip").orElseThrow();
    String expiry = entry.hasExpireTime() ? "expires" : "stays";
    System.out.printf("trip: %s, %d nights, %s%n", trip.city(), trip.nights(), expiry);

    // The entries of a scope are gone at its end; reads fall back to the agent's.
    try (Scope scope = agent.scope("booking")) {
      scope.set("seat", "12A");
      String city = scope.get("trip", Trip.class).orElseThrow().city();
      String seat = scope.get("seat", String.class).orElseThrow();
      System.out.printf("in the scope: %s, seat %s%n", city, seat);
    }
    String seat = agent.get("seat", String.class).orElse("none");
    System.out.println("after the scope: seat " + seat);

    AtomicInteger runs = new AtomicInteger();
    Callable<String> greeted =
        () ->
            agent.getOrSet(
                "greeting",
                String.class,
                () -> {
                  runs.incrementAndGet();
                  return "Good morning, Ada";
                });
    ExecutorService callers = Executors.newFixedThreadPool(8);
    Set<String> greetings = new TreeSet<>();
    for (Future<String> each : callers.invokeAll(Collections.nCopies(8, greeted))) {
      greetings.add(each.get());
    }
    callers.shutdown();
    System.out.printf(
        "get or set: 8 callers, %d run, %s%n", runs.get(), String.join(", ", greetings));

    Transaction tx = agent.transaction(); // all of it, or nothing
    var adults = tx.set("adults", 2);
    var children = tx.set("children", 1);
    tx.commit();
    boolean together = adults.result().getRevision() == children.result().getRevision();
    System.out.println("transaction: " + (together ? "one revision" : "several"));
  }

  private static void watchAcrossKill(Agent agent) throws IOException {
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withKeyPrefix("step-"))) {
      agent.set("step-1", "booked");
      System.out.println("watched: " + nextKey(watch));
      System.out.println("Kill the daemon, start it again, and press Enter.");
      System.in.read();
      agent.set("step-2", "packed"); // is retried until the daemon is back
      System.out.println("watched: " + nextKey(watch)); // it has resumed, and missed nothing
    }
  }

  private static String nextKey(Watch watch) {
    for (Event event : watch) {
      if (event.hasEntry()) {
        return event.getEntry().getKey();
      }
    }
    throw new AssertionError("a watch does not end by itself");
  }

  private static void refusals(Agent agent) throws Exception {
    System.out.println("a bad key: " + refusal(() -> agent.set("", 1)));
    Condition unchanged =
        Condition.expectedRevision(agent.getEntry("trip").orElseThrow().getRevision());
    agent.set("trip", new Trip("Lisbon", 4)); // another writer is faster
    System.out.println("a lost race: " + refusal(() -> agent.set("trip", 0, unchanged)));
    System.out.println("a wrong type: " + refusal(() -> agent.get("trip", Integer.class)));
    System.out.println("a missing record: " + refusal(() -> agent.notes().get("nothing")));
    LeaseFragmentsOptions patient =
        LeaseFragmentsOptions.DEFAULT.withWaitDuration(Duration.ofSeconds(60));
    Future<?> waiting = agent.async().fragments().take(patient);
    waiting.cancel(true);
    try {
      waiting.get();
    } catch (CancellationException cancelled) {
      System.out.println("a cancelled call: ended");
    }
  }

  private static String refusal(Runnable call) {
    try {
      call.run();
    } catch (MemorydException refused) {
      return refused.getClass().getSimpleName().replace("Exception", "");
    }
    return "none";
  }

  private static void nearCache(Agent agent) {
    // A copy in this process: a read makes no call, and has the client's own writes at once.
    try (NearCache near = agent.nearCache()) {
      System.out.println("near cache: " + near.get("trip", Trip.class).orElseThrow().city());
      agent.set("trip", new Trip("Porto", 2));
      System.out.println("near cache: " + near.get("trip", Trip.class).orElseThrow().city());
    }
  }

  private static void records(Agent agent) throws IOException {
    agent
        .memories()
        .remember(
            "Ada likes the window seat on trains.",
            CreateMemoryOptions.DEFAULT.withImportance(0.8));
    agent.memories().remember("Ada's sister lives in Oslo.");
    RecallMemoriesOptions best = RecallMemoriesOptions.DEFAULT.withLimit(1);
    var found = agent.memories().recall("Which seat does Ada like?", best);
    System.out.println("recalled: " + found.getMemories(0).getMemory().getContent());

    agent.notes().create("Budget", "200 euros for one journey.");
    try (Stream<Note> notes = agent.notes().list()) {
      System.out.println("notes: " + notes.map(Note::getTitle).collect(Collectors.joining(", ")));
    }

    var plan =
        agent
            .plans()
            .create(
                "Travel to Porto",
                CreatePlanOptions.DEFAULT
                    .withSteps("book a train", "pack")
                    .withConversationId("porto"));
    agent
        .plans()
        .updateStep(
            plan.getSteps(0).getStepId(),
            UpdatePlanStepChanges.DEFAULT.withStatus(PLAN_STEP_STATUS_COMPLETED),
            UpdatePlanStepOptions.DEFAULT.withConversationId("porto"));
    var steps =
        agent.plans().get(GetPlanOptions.DEFAULT.withConversationId("porto")).getStepsList();
    List<String> completed =
        steps.stream()
            .filter(step -> step.getStatus() == PLAN_STEP_STATUS_COMPLETED)
            .map(step -> step.getDescription())
            .toList();
    System.out.printf(
        "plan: %d of %d steps completed, %s%n",
        completed.size(), steps.size(), String.join(", ", completed));

    byte[] list = "A passport. A towel. A book.".getBytes(StandardCharsets.UTF_8);
    InputStream file = new ByteArrayInputStream(list);
    CreateDocumentOptions packing =
        CreateDocumentOptions.DEFAULT.withTitle("Packing list").withMediaType("text/plain");
    var document =
        agent
            .documents()
            .upload(file, packing, sent -> System.out.println("uploaded: " + sent + " bytes"));
    int chunks = agent.documents().search("towel").getChunksCount();
    System.out.printf("document: %s, found in %d chunk%n", document.getTitle(), chunks);
  }

  private static void fragments(Agent agent) throws Exception {
    Set<String> seen = Collections.synchronizedSet(new TreeSet<>());
    CountDownLatch both = new CountDownLatch(2);
    for (String content : List.of("The train is late.", "Ada is hungry.")) {
      agent.fragments().create(content);
    }
    agent.fragments().flush();
    FragmentConsumer consumer =
        agent
            .fragments()
            .consumer(
                delivery -> {
                  for (var fragment : delivery.fragments()) {
                    if (seen.add(fragment.getContent())) {
                      both.countDown();
                    }
                  }
                });
    both.await();
    consumer.close(); // acknowledges what was handled
    System.out.println("consumed: " + String.join(" ", seen));
  }

  private static void compose(Agent agent) {
    MessageInput request =
        MessageInput.of(MessageRole.MESSAGE_ROLE_USER).withContent("Please book a seat for me.");
    agent.conversations().append("porto", List.of(request));
    ContextSectionInput section = ContextSectionInput.DEFAULT;
    var context =
        agent.compose(
            ComposeContextOptions.DEFAULT
                .withConversationId("porto")
                .withMaxTokens(4_000)
                .withSections(
                    section.withText("You book journeys."),
                    section.withNotes(NotesSourceInput.DEFAULT),
                    section.withPlan(PlanSourceInput.DEFAULT),
                    section.withMemories(MemoriesSourceInput.DEFAULT.withLimit(1)),
                    section.withMessages(MessagesSourceInput.DEFAULT)));
    context
        .getMessagesList()
        .forEach(
            message -> {
              String role = message.getRole().name().replace("MESSAGE_ROLE_", "").toLowerCase();
              System.out.println("composed: " + role + ", " + message.getSection());
            });
  }
}
