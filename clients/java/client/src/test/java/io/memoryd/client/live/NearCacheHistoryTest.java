package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.MemorydClient;
import io.memoryd.client.NearCache;
import io.memoryd.client.NearCacheOptions;
import io.memoryd.client.NearMemory;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.client.testing.NeedsCommand;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads under changes of all kinds, expiry, merges, disposals, restores, ends and kills of the
 * daemon. What a reader gets must be explained by one state of the agent that is not older than
 * promised.
 */
@NeedsCommand
@Timeout(600)
class NearCacheHistoryTest {
  private static final int CHANGES = 150;
  private static final int KILLS = 4;
  private static final Duration STALENESS = Duration.ofMillis(300);

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2})
  void noReadIsOlderThanWasPromised(long seed) {
    ExecutorService threads = Executors.newCachedThreadPool();
    NearCacheOptions options = NearCacheOptions.DEFAULT.withMaxStaleness(STALENESS);
    try (OwnDaemon daemon = new OwnDaemon();
        MemorydClient client = daemon.client().connect();
        MemorydClient other = daemon.client().connect();
        NearCache own = client.agent("own").nearCache(options);
        NearCache theirs = client.agent("theirs").nearCache(options)) {
      Trial first = new Trial(new NearHistoryWriter(client, "own", seed), own, 0);
      Trial second =
          new Trial(new NearHistoryWriter(other, "theirs", seed), theirs, STALENESS.toNanos());
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (Trial trial : List.of(first, second)) {
        running.add(CompletableFuture.runAsync(trial::write, threads));
        running.add(CompletableFuture.runAsync(() -> trial.read(new Random(seed)), threads));
      }
      for (int kill = 1; kill <= KILLS; kill++) {
        int due = kill * CHANGES / (KILLS + 1);
        OwnDaemon.await("there are changes", () -> first.hasMade(due) && second.hasMade(due));
        daemon.kill();
        daemon.start();
      }
      CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new)).join();
    } finally {
      threads.shutdownNow();
    }
  }

  /** A writer of an agent, and a reader of its near cache. */
  private static final class Trial {
    private final NearHistoryWriter writer;
    private final NearCache cache;
    private final long stalenessNanos;
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    Trial(NearHistoryWriter writer, NearCache cache, long stalenessNanos) {
      this.writer = writer;
      this.cache = cache;
      this.stalenessNanos = stalenessNanos;
    }

    /** Returns whether it has made a number of changes, or will make no more. */
    boolean hasMade(int count) {
      return changes.get() >= count || over.get();
    }

    void write() {
      try {
        while (changes.get() < CHANGES && !over.get()) {
          writer.change();
          changes.incrementAndGet();
        }
      } finally {
        over.set(true);
      }
    }

    void read(Random chance) {
      int count = 0;
      try {
        for (; !over.get(); count++) {
          readOnce(chance);
        }
      } finally {
        over.set(true);
      }
      assertTrue(count >= CHANGES, "there were only " + count + " reads");
    }

    private void readOnce(Random chance) {
      NearHistory history = writer.history();
      String scopeId = NearHistoryWriter.pick(chance, history.scopes());
      List<String> keys = new ArrayList<>();
      for (int index = chance.nextBoolean() ? 3 : 1; index > 0; index--) {
        keys.add(NearHistoryWriter.pick(chance, NearHistoryWriter.KEYS));
      }
      int floor = history.floor(stalenessNanos);
      long begin = wallNanos();
      Map<String, Integer> seen = numbersIn(cache.attach(scopeId), keys);
      assertTrue(
          history.explains(floor, scopeId, seen, begin, wallNanos()),
          () -> "no state from " + floor + " on explains that in " + scopeId + " there is " + seen);
    }

    private static Map<String, Integer> numbersIn(NearMemory memory, List<String> keys) {
      Map<String, Integer> found = new HashMap<>();
      try {
        if (keys.size() > 1) {
          found.putAll(memory.getMany(keys, Integer.class));
        } else {
          memory.get(keys.get(0), Integer.class).ifPresent(each -> found.put(keys.get(0), each));
        }
        keys.forEach(key -> found.putIfAbsent(key, NearHistory.NO_VALUE));
      } catch (ScopeDisposedException | RecordNotFoundException gone) {
        keys.forEach(key -> found.put(key, NearHistory.NO_SCOPE));
      }
      return found;
    }

    private static long wallNanos() {
      Instant now = Instant.now();
      return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }
  }
}
