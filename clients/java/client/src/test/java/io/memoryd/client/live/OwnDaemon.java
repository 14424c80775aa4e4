package io.memoryd.client.live;

import io.memoryd.client.MemorydClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A daemon that a test may kill, and start again on the same data and port. */
final class OwnDaemon implements AutoCloseable {
  static final Duration WAIT_MAX = Duration.ofSeconds(60);

  private final int port;
  private final Path folder;
  private Process process;

  OwnDaemon() {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
      folder = Files.createTempDirectory("memoryd-");
    } catch (IOException unable) {
      throw new UncheckedIOException(unable);
    }
    start();
  }

  /** Waits until a condition holds. */
  static void await(String what, BooleanSupplier holds) {
    long begun = System.nanoTime();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() - begun > WAIT_MAX.toNanos()) {
        throw new AssertionError("it does not happen that " + what);
      }
      pause();
    }
  }

  /** Returns a builder of a client that waits for the daemon while it is killed. */
  MemorydClient.Builder client() {
    return MemorydClient.builder().address(address()).timeout(WAIT_MAX).connectTimeout(WAIT_MAX);
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** Starts the daemon, and waits until it accepts connections. */
  void start() {
    String command = System.getenv().getOrDefault("MEMORYD_TEST_COMMAND", "memoryd");
    List<String> line =
        List.of(command, "serve", "--listen", address(), "--data-dir", data().toString());
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().keySet().removeIf(name -> name.startsWith("MEMORYD_"));
    builder.environment().put("MEMORYD_EMBEDDER", "none");
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
    try {
      process = builder.start();
    } catch (IOException unable) {
      throw new UncheckedIOException(unable);
    }
    await("the daemon listens", this::listens);
  }

  /** Ends the daemon without any warning. */
  void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Removes what the daemon has stored. */
  void removeData() {
    remove(data());
  }

  @Override
  public void close() {
    kill();
    remove(folder);
  }

  private Path data() {
    return folder.resolve("data");
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static void remove(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException undeleted) {
      throw new UncheckedIOException(undeleted);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException interrupted) {
      throw new AssertionError("the test took too long", interrupted);
    }
  }
}
