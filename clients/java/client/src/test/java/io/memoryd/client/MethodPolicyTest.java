package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.ContextServiceGrpc;
import io.memoryd.v1.DocumentServiceGrpc;
import io.memoryd.v1.EntityServiceGrpc;
import io.memoryd.v1.EventServiceGrpc;
import io.memoryd.v1.FragmentServiceGrpc;
import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.LongTermMemoryServiceGrpc;
import io.memoryd.v1.NoteServiceGrpc;
import io.memoryd.v1.PlanServiceGrpc;
import io.memoryd.v1.ServerServiceGrpc;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SnapshotServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MethodPolicyTest {
  private static final List<ServiceDescriptor> SERVICES =
      List.of(
          AgentServiceGrpc.getServiceDescriptor(),
          DocumentServiceGrpc.getServiceDescriptor(),
          EntityServiceGrpc.getServiceDescriptor(),
          EventServiceGrpc.getServiceDescriptor(),
          FragmentServiceGrpc.getServiceDescriptor(),
          LongTermMemoryServiceGrpc.getServiceDescriptor(),
          NoteServiceGrpc.getServiceDescriptor(),
          PlanServiceGrpc.getServiceDescriptor(),
          ContextServiceGrpc.getServiceDescriptor(),
          ServerServiceGrpc.getServiceDescriptor(),
          SnapshotServiceGrpc.getServiceDescriptor(),
          WorkingMemoryServiceGrpc.getServiceDescriptor());

  @Test
  void ofTheUnaryMethodsOnlyChangesOfSnapshotsAreNotRepeated() {
    Set<String> once =
        SERVICES.stream()
            .map(ServiceDescriptor::getMethods)
            .flatMap(Collection::stream)
            .filter(method -> method.getType() == MethodType.UNARY)
            .filter(method -> !MethodPolicy.repeatable(method))
            .map(MethodDescriptor::getBareMethodName)
            .collect(Collectors.toSet());
    assertEquals(Set.of("CreateSnapshot", "DeleteSnapshot", "RestoreSnapshot"), once);
  }

  @Test
  void streamsAreNotRepeated() {
    Stream.of(
            EventServiceGrpc.getWatchEventsMethod(),
            SnapshotServiceGrpc.getExportSnapshotMethod(),
            SnapshotServiceGrpc.getImportSnapshotMethod(),
            DocumentServiceGrpc.getUploadDocumentMethod())
        .forEach(method -> assertEquals(false, MethodPolicy.repeatable(method)));
  }

  @Test
  void aChangeGetsARequestIdOf128Bits() {
    SetEntryRequest request = SetEntryRequest.newBuilder().setKey("k").build();
    SetEntryRequest first = MethodPolicy.withRequestId(request);
    assertTrue(first.getRequestId().matches("[0-9a-f]{32}"), first.getRequestId());
    assertEquals("k", first.getKey());
    assertNotEquals(first, MethodPolicy.withRequestId(request));
  }

  @Test
  void aRequestIdOfTheCallersOwnStays() {
    SetEntryRequest request = SetEntryRequest.newBuilder().setRequestId("mine").build();
    assertSame(request, MethodPolicy.withRequestId(request));
  }

  @Test
  void aReadStaysAsItIs() {
    GetEntryRequest request = GetEntryRequest.getDefaultInstance();
    assertSame(request, MethodPolicy.withRequestId(request));
  }
}
