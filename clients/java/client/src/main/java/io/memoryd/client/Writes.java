package io.memoryd.client;

import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The changes of a transaction, in their order. */
final class Writes {
  private final List<Write> messages = new ArrayList<>();
  private final List<Consumer<WriteResult>> settlers = new ArrayList<>();
  private boolean committing;
  private boolean committed;

  /** Adds a change, whose later result is read by this function. */
  <T> Written<T> add(Write write, Function<WriteResult, T> reader) {
    checkOpen();
    Written<T> written = new Written<>();
    messages.add(write);
    settlers.add(result -> written.settle(result, reader));
    return written;
  }

  List<Write> messages() {
    return messages;
  }

  void checkOpen() {
    if (committed) {
      throw new IllegalStateException("the transaction is committed");
    }
    if (committing) {
      throw new IllegalStateException("the transaction is being committed");
    }
  }

  /** Takes no changes until the end of a commit that does not block. */
  void beginCommit() {
    committing = true;
  }

  void endCommit() {
    committing = false;
  }

  void settle(List<WriteResult> results) {
    if (results.size() != settlers.size()) {
      String text = "the commit has %d results for %d writes";
      throw CallFailedException.from(
          Status.INTERNAL.withDescription(text.formatted(results.size(), settlers.size())), null);
    }
    committed = true;
    for (int index = 0; index < results.size(); index++) {
      settlers.get(index).accept(results.get(index));
    }
  }
}
