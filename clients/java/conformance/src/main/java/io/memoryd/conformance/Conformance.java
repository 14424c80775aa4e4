package io.memoryd.conformance;

import io.memoryd.conformance.drive.Drive;
import io.memoryd.conformance.scenarios.Scenarios;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** The program of this client for the conformance tests, which all languages share. */
public final class Conformance {
  private static final String USAGE =
      "usage: conformance scenarios ADDRESS FILE... | conformance drive";

  private Conformance() {}

  /** Plays scenarios, or runs the commands of standard input. */
  public static void main(String[] arguments) throws IOException {
    List<String> words = Arrays.asList(arguments);
    if (words.size() > 2 && words.get(0).equals("scenarios")) {
      System.exit(Scenarios.play(words.get(1), words.subList(2, words.size())) ? 0 : 1);
    } else if (words.equals(List.of("drive"))) {
      Drive.run(System.in, System.out);
    } else {
      System.err.println(USAGE);
      System.exit(2);
    }
  }
}
