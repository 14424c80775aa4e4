package io.memoryd.client;

/**
 * Cleaning up in a thread that may be interrupted: it is done all the same, bounded by the timeout
 * of its calls.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  static void run(Runnable cleaning) {
    boolean interrupted = Thread.interrupted();
    try {
      cleaning.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
