package io.memoryd.client.testing;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.error.MemorydException;
import io.memoryd.v1.EndAgentRequest;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A running daemon, with clients and agents for tests.
 *
 * <p>It is the command that {@code MEMORYD_TEST_COMMAND} names, else {@code memoryd} in PATH. It
 * keeps nothing, listens on a free port of this machine, and takes no settings from the
 * environment. If {@code MEMORYD_TEST_ADDRESS} is set, no daemon is started: the one at that
 * address is used, and flags are ignored.
 */
public final class TestDaemon implements AutoCloseable {
  private final String address;
  private final Optional<DaemonProcess> process;
  private final Deque<AutoCloseable> resources = new ConcurrentLinkedDeque<>();

  private TestDaemon(String address, Optional<DaemonProcess> process) {
    this.address = address;
    this.process = process;
  }

  /**
   * Starts a daemon, with further flags of {@code memoryd serve}.
   *
   * @throws DaemonFailedException if it does not start
   */
  public static TestDaemon start(String... flags) {
    String given = System.getenv().getOrDefault("MEMORYD_TEST_ADDRESS", "");
    if (!given.isEmpty()) {
      return at(given);
    }
    DaemonProcess process = DaemonProcess.start(flags);
    return new TestDaemon(process.address(), Optional.of(process));
  }

  /** Returns a daemon that others started, and that they may use, too. */
  static TestDaemon at(String address) {
    return new TestDaemon(address, Optional.empty());
  }

  /** Returns the address, as the builder of a client takes it. */
  public String address() {
    return address;
  }

  /** Returns a client of the daemon, which is closed with it. */
  public MemorydClient newClient() {
    MemorydClient client = MemorydClient.builder().address(address).connect();
    resources.push(client);
    return client;
  }

  /**
   * Returns an agent that no other test uses. In a daemon at {@code MEMORYD_TEST_ADDRESS}, it is
   * erased by {@link #close}.
   */
  public Agent newAgent(MemorydClient client) {
    String agentId = "test-" + UUID.randomUUID();
    if (process.isEmpty()) {
      resources.push(() -> erase(agentId));
    }
    return client.agent(agentId);
  }

  /** Closes all clients, and ends the daemon if it was started here. */
  @Override
  public void close() {
    try {
      while (!resources.isEmpty()) {
        resources.pop().close();
      }
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    } finally {
      process.ifPresent(DaemonProcess::close);
    }
  }

  private void erase(String agentId) {
    EndAgentRequest request =
        EndAgentRequest.newBuilder().setAgentId(agentId).setErase(true).build();
    // The test may have closed its own client.
    try (MemorydClient client = MemorydClient.builder().address(address).connect()) {
      client.agentService().endAgent(request);
    } catch (MemorydException | io.grpc.StatusRuntimeException unavailable) {
      System.err.println("agent " + agentId + " is left: " + unavailable.getMessage());
    }
  }
}
