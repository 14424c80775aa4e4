package io.memoryd.client.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.error.TooLargeException;
import io.memoryd.client.error.UnavailableException;
import io.memoryd.v1.ListAgentsRequest;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@NeedsCommand
@Timeout(120)
class TestDaemonTest {
  @Test
  void aDaemonIsGivenFurtherFlags() {
    try (TestDaemon daemon = TestDaemon.start("--embedder", "none", "--limit-entry-bytes", "100")) {
      Agent agent = daemon.newAgent(daemon.newClient());
      assertThrows(TooLargeException.class, () -> agent.set("k", "x".repeat(200)));
    }
  }

  @Test
  void aDaemonThatIsClosedServesNoMore() {
    TestDaemon daemon = TestDaemon.start("--embedder", "none");
    daemon.close();
    try (MemorydClient client =
        MemorydClient.builder()
            .address(daemon.address())
            .connectTimeout(Duration.ofMillis(100))
            .connect()) {
      assertThrows(UnavailableException.class, () -> client.agent("a").set("k", 1));
    }
  }

  @Test
  void agentsAreErasedFromADaemonOfOthers() {
    try (TestDaemon owned = TestDaemon.start("--embedder", "none")) {
      try (TestDaemon shared = TestDaemon.at(owned.address())) {
        shared.newAgent(shared.newClient()).set("k", 1);
        assertEquals(1, agentCount(owned));
      }
      assertEquals(0, agentCount(owned));
    }
  }

  @Test
  void aDaemonThatDoesNotStartIsExplainedByItsLog() {
    String message =
        assertThrows(DaemonFailedException.class, () -> TestDaemon.start("--no-such-flag"))
            .getMessage();
    assertTrue(message.contains("no-such-flag"), message);
  }

  @Test
  void theAddressIsThatOfTheLineAboutServing() {
    String line = "{\"message\": \"serving\", \"listen\": \"127.0.0.1:1\"}";
    assertEquals(Optional.of("127.0.0.1:1"), DaemonProcess.addressIn(line));
    for (String other : new String[] {"", "serving", "[]", "{\"message\": \"draining\"}"}) {
      assertEquals(Optional.empty(), DaemonProcess.addressIn(other), other);
    }
  }

  private static int agentCount(TestDaemon daemon) {
    ListAgentsRequest request = ListAgentsRequest.getDefaultInstance();
    return daemon.newClient().agentService().listAgents(request).getAgentsCount();
  }
}
