package io.memoryd.client.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A daemon as a process of its own. It also ends with this process. */
final class DaemonProcess implements AutoCloseable {
  private static final long START_SECONDS_MAX = 60;
  private static final long STOP_SECONDS_MAX = 30;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Process process;
  private final Path directory;
  private final Thread stopping = new Thread(this::end, "memoryd-stop");
  private final StringBuffer log = new StringBuffer();
  private final CompletableFuture<String> serving = new CompletableFuture<>();

  private DaemonProcess(Process process, Path directory) {
    this.process = process;
    this.directory = directory;
    Runtime.getRuntime().addShutdownHook(stopping);
    Thread reading = new Thread(this::read, "memoryd-log");
    reading.setDaemon(true);
    reading.start();
  }

  static DaemonProcess start(String... flags) {
    String command = System.getenv().getOrDefault("MEMORYD_TEST_COMMAND", "memoryd");
    Path directory;
    Process process;
    try {
      directory = Files.createTempDirectory("memoryd-");
      process = builder(command, directory, flags).start();
    } catch (IOException unable) {
      throw new DaemonFailedException(
          command + " cannot be run: install memoryd-server, or set MEMORYD_TEST_COMMAND", unable);
    }
    DaemonProcess daemon = new DaemonProcess(process, directory);
    try {
      daemon.serving.get(START_SECONDS_MAX, TimeUnit.SECONDS);
      return daemon;
    } catch (ExecutionException | TimeoutException failed) {
      daemon.close();
      throw new DaemonFailedException("the daemon did not start:\n" + daemon.log, failed);
    } catch (InterruptedException interrupted) {
      daemon.close();
      Thread.currentThread().interrupt();
      throw new DaemonFailedException("interrupted while the daemon started", interrupted);
    }
  }

  String address() {
    return serving.join();
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(stopping);
    end();
  }

  /** Returns the address that the daemon serves if a line of its log says so. */
  static Optional<String> addressIn(String line) {
    try {
      JsonNode record = MAPPER.readTree(line);
      boolean isServing = record.path("message").asText().equals("serving");
      return isServing ? Optional.of(record.path("listen").asText()) : Optional.empty();
    } catch (JsonProcessingException notAboutServing) {
      return Optional.empty();
    }
  }

  private static ProcessBuilder builder(String command, Path directory, String... flags) {
    List<String> line = new ArrayList<>(List.of(command, "serve", "--listen", "127.0.0.1:0"));
    line.addAll(List.of("--durability", "memory", "--log-level", "info", "--log-format", "json"));
    line.addAll(List.of("--data-dir", directory.resolve("data").toString()));
    line.addAll(List.of(flags));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().keySet().removeIf(name -> name.startsWith("MEMORYD_"));
    return builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
  }

  /** Reads the log to its end: a daemon whose pipe is full would stop. */
  private void read() {
    try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!serving.isDone()) {
          log.append(line).append('\n');
          addressIn(line).ifPresent(serving::complete);
        }
      }
      serving.completeExceptionally(new IOException("the daemon ended"));
    } catch (IOException broken) {
      serving.completeExceptionally(broken);
    }
  }

  private void end() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException undeleted) {
      throw new UncheckedIOException(undeleted);
    }
  }
}
