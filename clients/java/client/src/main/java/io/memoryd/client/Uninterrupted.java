package io.memoryd.client;

/**
 * Runs cleanup in a thread that may be interrupted: it is done anyway, and limited by the timeout
 * of its calls. The thread stays interrupted.
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
