package io.memoryd.client.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@NeedsCommand
@ExtendWith(MemorydExtension.class)
@Timeout(120)
class MemorydExtensionTest {
  private static TestDaemon first;

  @Test
  void aTestHasAgentsOfItsOwn(Agent agent, Agent other, MemorydClient client) {
    agent.set("mood", "curious");
    assertEquals("curious", agent.get("mood", String.class).orElseThrow());
    assertTrue(other.get("mood", String.class).isEmpty());
    assertNotEquals(agent.agentId(), other.agentId());
    assertEquals("curious", client.agent(agent.agentId()).get("mood", String.class).orElseThrow());
  }

  @Test
  void allTestsShareADaemon(TestDaemon daemon) {
    remember(daemon);
  }

  @Test
  void allTestsShareTheSameDaemon(TestDaemon daemon) {
    remember(daemon);
  }

  private static synchronized void remember(TestDaemon daemon) {
    first = first == null ? daemon : first;
    assertSame(first, daemon);
  }
}
