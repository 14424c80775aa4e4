package io.memoryd.conformance.drive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.MemorydException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads a command from each line, and writes its reply as a line. */
public final class Drive {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String SUFFIX = "Exception";

  private Drive() {}

  /** Runs the commands of the input in order, until it ends. */
  public static void run(InputStream input, PrintStream output) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    PrintStream answers = new PrintStream(output, true, StandardCharsets.UTF_8);
    try (Session session = new Session()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.println(answer(session, line));
      }
    }
  }

  private static ObjectNode answer(Session session, String line) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    try {
      JsonNode command = JSON.readTree(line);
      ObjectNode result =
          Commands.named(command.path("do").asText()).run(session, new Arguments(command));
      return answer.set("result", result);
    } catch (Exception failed) {
      return answer.set("error", error(failed));
    }
  }

  private static ObjectNode error(Exception failed) {
    ObjectNode error = JsonNodeFactory.instance.objectNode();
    String type = failed.getClass().getSimpleName();
    error.put("type", failed instanceof MemorydException ? type.replace(SUFFIX, "") : "Other");
    CallFailedException call = failed instanceof CallFailedException refused ? refused : null;
    error.put("code", call == null ? "" : call.code().name());
    error.put("reason", call == null ? "" : call.reason());
    return error.put("message", String.valueOf(failed.getMessage()));
  }
}
