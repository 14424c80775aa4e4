package io.memoryd.conformance.drive;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memoryd.client.Agent;
import io.memoryd.client.Condition;
import io.memoryd.client.Json;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.ReserveOptions;
import io.memoryd.client.Tls;
import io.memoryd.client.Transaction;
import io.memoryd.client.WatchOptions;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.v1.Entry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The commands by their names, each of which returns its result. */
final class Commands {
  private static final JsonMapper JSON = new JsonMapper();

  private static final Map<String, Command> BY_NAME =
      Map.ofEntries(
          entry("connect", Commands::connect),
          entry("set", Commands::set),
          entry("get", Commands::get),
          entry("set_native", Commands::setNative),
          entry("get_native", Commands::getNative),
          entry("update", Commands::update),
          entry("get_or_set", Commands::getOrSet),
          entry("watch", Commands::watch),
          entry("watched", Commands::watched),
          entry("unwatch", Commands::unwatch),
          entry("measure", Measurement::run));

  private Commands() {}

  @FunctionalInterface
  interface Command {
    ObjectNode run(Session session, Arguments arguments) throws Exception;
  }

  static Command named(String name) {
    Command command = BY_NAME.get(name);
    if (command == null) {
      throw new IllegalArgumentException("there is no command " + name);
    }
    return command;
  }

  private static ObjectNode connect(Session session, Arguments arguments) {
    MemorydClient.Builder builder = MemorydClient.builder().address(arguments.text("target"));
    arguments.optionalText("token").ifPresent(builder::token);
    arguments.optionalText("origin").ifPresent(builder::origin);
    arguments.seconds("timeout_s").ifPresent(builder::timeout);
    arguments.seconds("connect_timeout_s").ifPresent(builder::connectTimeout);
    arguments
        .optionalText("ca_file")
        .ifPresent(file -> builder.tls(Tls.DEFAULT.withCaFile(Path.of(file))));
    session.use(builder.connect(), arguments.text("target"));
    return object();
  }

  private static ObjectNode set(Session session, Arguments arguments) {
    Json value = new Json(arguments.text("value_json"));
    long revision = session.agent(arguments).set(arguments.text("key"), value).getRevision();
    return object().put("revision", revision);
  }

  private static ObjectNode get(Session session, Arguments arguments) {
    Optional<Json> value = session.agent(arguments).get(arguments.text("key"), Json.class);
    return object()
        .put("found", value.isPresent())
        .put("value_json", value.map(Json::text).orElse(""));
  }

  private static ObjectNode setNative(Session session, Arguments arguments)
      throws JsonProcessingException {
    Object value = JSON.readValue(arguments.text("value_json"), Object.class);
    long revision = session.agent(arguments).set(arguments.text("key"), value).getRevision();
    return object().put("revision", revision);
  }

  private static ObjectNode getNative(Session session, Arguments arguments)
      throws JsonProcessingException {
    Agent agent = session.agent(arguments);
    // By the entry, because an Optional of a plain value cannot contain a JSON null.
    Optional<Entry> entry = agent.getEntry(arguments.text("key"));
    String text = "";
    if (entry.isPresent()) {
      text = JSON.writeValueAsString(agent.valueOf(entry.get(), Object.class));
    }
    return object().put("found", entry.isPresent()).put("value_json", text);
  }

  private static ObjectNode update(Session session, Arguments arguments) {
    Agent agent = session.agent(arguments);
    long last = 0;
    for (int made = 0; made < arguments.number("count"); made++) {
      String key = arguments.text("key");
      last =
          arguments.flag("transaction")
              ? increment(agent, key)
              : agent.update(key, Long.class, 0L, value -> value + 1);
    }
    return object().put("last", last);
  }

  /** Adds 1 to the integer under the key, by a transaction on what was read. */
  private static long increment(Agent agent, String key) {
    while (true) {
      Optional<Entry> entry = agent.getEntry(key);
      long next = entry.map(found -> agent.valueOf(found, Long.class)).orElse(0L) + 1;
      long revision = entry.map(Entry::getRevision).orElse(0L);
      Transaction tx = agent.transaction();
      tx.set(key, next, Condition.expectedRevision(revision));
      try {
        tx.commit();
        return next;
      } catch (RevisionMismatchException faster) {
        // Another writer came first: try again.
      }
    }
  }

  private static ObjectNode getOrSet(Session session, Arguments arguments) throws Exception {
    ReserveOptions options = ReserveOptions.DEFAULT;
    options = arguments.seconds("lease_s").map(options::withLease).orElse(options);
    options = arguments.seconds("wait_s").map(options::withPatience).orElse(options);
    AtomicBoolean made = new AtomicBoolean();
    Object value =
        session
            .agent(arguments)
            .getOrSet(arguments.text("key"), Object.class, () -> make(arguments, made), options);
    return object().put("value_json", JSON.writeValueAsString(value)).put("made", made.get());
  }

  private static Object make(Arguments arguments, AtomicBoolean made) throws Exception {
    made.set(true);
    TimeUnit.NANOSECONDS.sleep(arguments.seconds("factory_s").orElse(Duration.ZERO).toNanos());
    if (arguments.flag("fail")) {
      throw new IllegalStateException("the factory fails as requested");
    }
    return JSON.readValue(arguments.text("value_json"), Object.class);
  }

  private static ObjectNode watch(Session session, Arguments arguments) {
    WatchOptions options = WatchOptions.DEFAULT;
    options = arguments.optionalText("key_prefix").map(options::withKeyPrefix).orElse(options);
    options = arguments.seconds("outage_max_s").map(options::withOutageMax).orElse(options);
    options = arguments.optionalText("resume_token").map(options::withResumeToken).orElse(options);
    options = arguments.flag("initial_state") ? options.withInitialState() : options;
    session.put(arguments.text("name"), WatchRecord.begin(session.agent(arguments).watch(options)));
    return object();
  }

  private static ObjectNode watched(Session session, Arguments arguments)
      throws InterruptedException {
    Duration timeout = arguments.seconds("timeout_s").orElse(Duration.ZERO);
    return session.watch(arguments.text("name")).await(arguments.number("count"), timeout);
  }

  private static ObjectNode unwatch(Session session, Arguments arguments) {
    session.unwatch(arguments.text("name"));
    return object();
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
