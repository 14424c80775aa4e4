package io.memoryd.conformance.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Plays scenario files against a daemon in order. */
public final class Scenarios {
  private static final Set<String> PARTS = new TreeSet<>(Set.of("scenario", "rows", "steps"));

  private Scenarios() {}

  /** Plays the files, prints a line of JSON for each, and returns whether all have passed. */
  public static boolean play(String address, List<String> files) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
            .maxInboundMessageSize(64 * 1024 * 1024)
            .proxyDetector(target -> null)
            .build();
    try (Wrapped wrapped = new Wrapped(address, Player.CALL)) {
      boolean passed = true;
      for (String file : files) {
        passed &= play(channel, wrapped, file);
      }
      System.err.println(wrapped.summary());
      return passed;
    } finally {
      channel.shutdownNow();
    }
  }

  private static boolean play(ManagedChannel channel, Wrapped wrapped, String file) {
    ObjectNode line = JsonNodeFactory.instance.objectNode().put("file", file);
    try (Player player = new Player(channel, wrapped)) {
      JsonNode scenario = read(file);
      Map<String, String> agents = Map.of("agent", newAgentId(), "other", newAgentId());
      player.play(scenario.path("steps"), new Variables(agents));
      line.put("passed", true);
    } catch (ScenarioFailure failure) {
      line.put("passed", false).put("why", failure.getMessage());
    } catch (IOException | RuntimeException failure) {
      line.put("passed", false).put("why", failure.toString());
    }
    System.out.println(line);
    return line.get("passed").booleanValue();
  }

  private static JsonNode read(String file) throws IOException {
    JsonNode scenario = Yaml.read(Files.readString(Path.of(file)));
    Set<String> parts = new HashSet<>();
    scenario.fieldNames().forEachRemaining(parts::add);
    if (!parts.equals(PARTS)) {
      throw new ScenarioFailure("a scenario has the parts " + PARTS + ", not " + parts);
    }
    return scenario;
  }

  private static String newAgentId() {
    return "scenario-" + UUID.randomUUID();
  }
}
