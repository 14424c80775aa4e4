package io.memoryd.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A future of several calls, one after the other. To cancel it, or to complete it in another way,
 * is to cancel the call that is under way.
 */
final class Steps<T extends @Nullable Object> {
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<?> current;

  Steps() {
    result.whenComplete((value, error) -> cancelCurrent());
  }

  CompletableFuture<T> result() {
    return result;
  }

  boolean isDone() {
    return result.isDone();
  }

  /** Returns false if the future has ended before. */
  boolean complete(T value) {
    return result.complete(value);
  }

  void fail(Throwable error) {
    result.completeExceptionally(error);
  }

  /** Goes on with the result of a step; its error is that of the future. */
  <S> void after(CompletableFuture<S> step, Consumer<S> next) {
    after(step, next, this::fail);
  }

  /** Goes on with the result of a step, or with its error or that of {@code next}. */
  <S> void after(CompletableFuture<S> step, Consumer<S> next, Consumer<Throwable> failed) {
    current = step;
    if (isDone()) {
      step.cancel(true);
    }
    step.whenComplete(
        (value, error) -> {
          try {
            if (error == null) {
              next.accept(value);
              return;
            }
          } catch (RuntimeException | Error thrown) {
            failed.accept(thrown);
            return;
          }
          failed.accept(causeOf(error));
        });
  }

  private static Throwable causeOf(Throwable error) {
    return error instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : error;
  }

  private void cancelCurrent() {
    CompletableFuture<?> step = current;
    if (step != null) {
      step.cancel(true);
    }
  }
}
