package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.StatusRuntimeException;
import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.error.AgentNotFoundException;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.DeadlineExceededException;
import io.memoryd.client.error.OperationNotFoundException;
import io.memoryd.client.error.UnavailableException;
import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.GetAgentRequest;
import io.memoryd.v1.GetServerInfoRequest;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.WatchOperationRequest;
import io.memoryd.v1.WatchOperationResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@LiveTest
class ClientTest {
  @Test
  void otherMethodsAreCalledOnTheServices(MemorydClient client) {
    var info = client.serverService().getServerInfo(GetServerInfoRequest.getDefaultInstance());
    assertFalse(info.getVersion().isEmpty());
  }

  @Test
  void everyDoorHasTheErrorsOfTheClient(MemorydClient client) {
    GetAgentRequest request = GetAgentRequest.newBuilder().setAgentId("java-nobody").build();
    assertThrows(AgentNotFoundException.class, () -> client.agentService().getAgent(request));
    ExecutionException failed =
        assertThrows(ExecutionException.class, client.agentService().getAgentAsync(request)::get);
    assertInstanceOf(AgentNotFoundException.class, failed.getCause());
    var watch = WatchOperationRequest.newBuilder().setOperationId("nothing").build();
    try (Stream<WatchOperationResponse> states = client.operationService().watchOperation(watch)) {
      assertThrows(OperationNotFoundException.class, states::toList);
    }
    StatusRuntimeException thrown =
        assertThrows(
            StatusRuntimeException.class,
            () -> AgentServiceGrpc.newBlockingStub(client.channel()).getAgent(request));
    assertInstanceOf(AgentNotFoundException.class, CallFailedException.from(thrown));
  }

  @Test
  void aServiceTakesATimeout(MemorydClient client) {
    GetServerInfoRequest request = GetServerInfoRequest.getDefaultInstance();
    assertThrows(
        DeadlineExceededException.class,
        () -> client.serverService().withTimeout(Duration.ofNanos(1)).getServerInfo(request));
    assertThrows(
        IllegalArgumentException.class, () -> client.serverService().withTimeout(Duration.ZERO));
  }

  @Test
  void theChannelServesStubsWithFutures(MemorydClient client, Agent agent) throws Exception {
    SetEntryRequest request =
        SetEntryRequest.newBuilder()
            .setAgentId(agent.agentId())
            .setKey("k")
            .setValueJson("1")
            .build();
    WorkingMemoryServiceGrpc.newFutureStub(client.channel())
        .setEntry(request)
        .get(10, TimeUnit.SECONDS);
    assertTrue(agent.contains("k"));
  }

  @Test
  void aDaemonThatNeverRespondedIsWaitedForNoLongerThanTheConnectTimeout() throws IOException {
    long begun = System.nanoTime();
    try (MemorydClient client =
        MemorydClient.builder()
            .address("127.0.0.1:" + unusedPort())
            .connectTimeout(Duration.ofMillis(300))
            .connect()) {
      assertThrows(UnavailableException.class, () -> client.agent("a").get("k"));
    }
    assertTrue(System.nanoTime() - begun < Duration.ofSeconds(8).toNanos());
  }

  @Test
  void aClosedClientCancelsItsCalls(MemorydClient client, Agent agent) {
    client.close();
    CancelledException error = assertThrows(CancelledException.class, () -> agent.get("k"));
    assertEquals("the client is closed", error.getMessage());
    client.close();
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
