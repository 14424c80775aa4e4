package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.memoryd.v1.RecallMemoriesResponse;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The classes of the client can be replaced in the tests of programs. */
class DoublesTest {
  @Test
  void aProgramIsTestedWithoutADaemon() {
    MemorydClient client = mock(MemorydClient.class);
    Agent agent = mock(Agent.class);
    Memories memories = mock(Memories.class);
    when(client.agent("a")).thenReturn(agent);
    when(agent.get("name", String.class)).thenReturn(Optional.of("Ada"));
    when(agent.memories()).thenReturn(memories);
    RecallMemoriesResponse none = RecallMemoriesResponse.getDefaultInstance();
    when(memories.recall("Ada")).thenReturn(none);
    assertEquals("Ada knows 0 facts", greeting(client));
    verify(agent).set("greeted", true);
  }

  /** A program that uses the client. */
  private static String greeting(MemorydClient client) {
    Agent agent = client.agent("a");
    String name = agent.get("name", String.class).orElseThrow();
    agent.set("greeted", true);
    return name + " knows " + agent.memories().recall(name).getMemoriesCount() + " facts";
  }
}
