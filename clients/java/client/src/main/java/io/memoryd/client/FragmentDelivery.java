package io.memoryd.client;

import io.memoryd.v1.Fragment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Fragments that a {@link FragmentConsumer} delivers to its handler. */
public final class FragmentDelivery {
  private final List<Fragment> fragments;
  private final CompletableFuture<@Nullable Void> lost = new CompletableFuture<>();

  FragmentDelivery(List<Fragment> fragments) {
    this.fragments = fragments;
  }

  /** Returns the fragments, the oldest first. */
  public List<Fragment> fragments() {
    return fragments;
  }

  /**
   * Returns a future that completes when the lease of the fragments is lost, so that other
   * consumers may receive them.
   */
  public CompletableFuture<@Nullable Void> leaseLost() {
    return lost.copy();
  }

  void loseLease() {
    lost.complete(null);
  }
}
