package io.memoryd.client.testing;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIf;

/** Marks tests that start the command of the daemon. Without it they are skipped, or fail in CI. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIf(
    value = "io.memoryd.client.testing.NeedsCommand$Command#isThere",
    disabledReason = "there is no memoryd in PATH, and MEMORYD_TEST_COMMAND is not set")
public @interface NeedsCommand {
  /** Looks for the command. */
  final class Command {
    private Command() {}

    static boolean isThere() throws InterruptedException {
      String command = System.getenv().getOrDefault("MEMORYD_TEST_COMMAND", "memoryd");
      try {
        ProcessBuilder version = new ProcessBuilder(command, "--version");
        return version.redirectErrorStream(true).start().waitFor() == 0;
      } catch (IOException missing) {
        return "true".equals(System.getenv("CI"));
      }
    }
  }
}
