package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.NearCache;
import io.memoryd.client.NearCacheOptions;
import io.memoryd.client.StaleRead;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.StaleReadException;
import io.memoryd.client.testing.NeedsCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@NeedsCommand
@Timeout(300)
class NearCacheOutageTest {
  private static final Duration BOUND = Duration.ofMillis(200);

  @ParameterizedTest
  @EnumSource(StaleRead.class)
  void duringAnOutageACacheDoesAsItsOptionSays(StaleRead whenStale) {
    NearCacheOptions options =
        NearCacheOptions.DEFAULT.withMaxStaleness(BOUND).withWhenStale(whenStale);
    try (OwnDaemon daemon = new OwnDaemon();
        MemorydClient hasty = daemon.client().timeout(Duration.ofMillis(500)).connect();
        MemorydClient patient = daemon.client().connect()) {
      Agent writer = patient.agent("a");
      writer.set("k", 1);
      try (NearCache cache = hasty.agent("a").nearCache(options)) {
        daemon.kill();
        OwnDaemon.await(
            "the bound passes", () -> cache.staleness().orElseThrow().compareTo(BOUND) > 0);
        switch (whenStale) {
          case ASK -> assertThrows(CallFailedException.class, () -> cache.get("k"));
          case REFUSE -> assertThrows(StaleReadException.class, () -> cache.get("k"));
          case SERVE -> assertEquals(Optional.of(1), cache.get("k", Integer.class));
        }
        daemon.start();
        writer.set("k", 2);
        OwnDaemon.await("it has the write of another client", () -> numberIs(cache, 2));
      }
    }
  }

  @Test
  void aCacheOfAnotherStoreBeginsAgain() {
    try (OwnDaemon daemon = new OwnDaemon();
        MemorydClient client = daemon.client().connect()) {
      Agent agent = client.agent("a");
      for (int index = 0; index < 5; index++) {
        agent.set("k" + index, index);
      }
      try (NearCache cache = agent.nearCache()) {
        daemon.kill();
        daemon.removeData();
        daemon.start();
        for (int number = 10; number < 13; number++) {
          // From the first read on, although the cache may still have the higher revision of the
          // former store.
          agent.set("k0", number);
          assertEquals(Optional.of(number), cache.get("k0", Integer.class));
        }
        OwnDaemon.await("it has the state of the other store", () -> cache.revision() == 3);
        assertEquals(Optional.of(12), cache.get("k0", Integer.class));
        assertEquals(List.of("k0"), cache.keys());
      }
    }
  }

  private static boolean numberIs(NearCache cache, int number) {
    try {
      return cache.get("k", Integer.class).equals(Optional.of(number));
    } catch (CallFailedException | StaleReadException notYet) {
      return false;
    }
  }
}
