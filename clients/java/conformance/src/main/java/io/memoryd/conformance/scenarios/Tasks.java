package io.memoryd.conformance.scenarios;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Runs copies of steps concurrently. */
final class Tasks {
  private Tasks() {}

  /**
   * Runs {@code count} tasks, each with its number. Once all have ended, throws the first failure.
   */
  static void run(int count, IntConsumer task) {
    ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, count));
    try {
      List<Callable<Object>> tasks =
          IntStream.range(0, count)
              .<Callable<Object>>mapToObj(number -> Executors.callable(() -> task.accept(number)))
              .toList();
      for (Future<Object> ended : threads.invokeAll(tasks)) {
        ended.get();
      }
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof ScenarioFailure failure
          ? failure.at("a task")
          : new ScenarioFailure(failed.getCause().toString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ScenarioFailure("interrupted");
    } finally {
      threads.shutdownNow();
    }
  }
}
