package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.SetEntryOperation;
import io.memoryd.v1.SetEntryRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class EntryOptionsTest {
  private static final EntryOptions ALL =
      EntryOptions.DEFAULT
          .withTypeName("Plan")
          .withEntryType(EntryType.ENTRY_TYPE_INSIGHT)
          .withImportance(0)
          .withTags("a", "b")
          .withMetadata(Map.of("n", 1))
          .withUserId("ann")
          .withTtl(Duration.ofMillis(1_500));

  @Test
  void aRequestHasTheFieldsOfAnOperation() {
    SetEntryOperation operation = ALL.toOperation(Place.root("agent")).build();
    SetEntryRequest request = ALL.toRequest(Place.root("agent").scope("scope")).build();
    assertEquals("agent", request.getAgentId());
    assertEquals("scope", request.getScopeId());
    assertEquals(operation.getTypeName(), request.getTypeName());
    assertEquals(EntryType.ENTRY_TYPE_INSIGHT, request.getType());
    assertEquals(operation.hasImportance(), request.hasImportance());
    assertEquals(List.of("a", "b"), request.getTagsList());
    assertEquals(operation.getMetadata(), request.getMetadata());
    assertEquals("ann", request.getUserId());
    assertEquals(500_000_000, request.getTtl().getNanos());
  }

  @Test
  void everyFieldOfAnOperationIsOneOfARequest() {
    var missing =
        SetEntryOperation.getDescriptor().getFields().stream()
            .map(field -> field.getName())
            .filter(name -> SetEntryRequest.getDescriptor().findFieldByName(name) == null)
            .collect(Collectors.toList());
    assertEquals(List.of(), missing);
  }

  @Test
  void theLastExpiryApplies() {
    Instant moment = Instant.ofEpochSecond(100, 7);
    SetEntryOperation timed = ALL.withExpireTime(moment).toOperation(Place.root("agent")).build();
    assertFalse(timed.hasTtl());
    assertEquals(7, timed.getExpireTime().getNanos());
    SetEntryOperation lasting =
        ALL.withExpireTime(moment)
            .withTtl(Duration.ofDays(3))
            .toOperation(Place.root("agent"))
            .build();
    assertFalse(lasting.hasExpireTime());
    assertEquals(3 * 24 * 3_600, lasting.getTtl().getSeconds());
  }

  @Test
  void optionsDoNotChange() {
    ALL.withTags("c");
    assertEquals(List.of("a", "b"), ALL.toOperation(Place.root("agent")).getTagsList());
    assertEquals(
        SetEntryOperation.getDefaultInstance(),
        EntryOptions.DEFAULT.toOperation(Place.root("agent")).build());
  }

  @Test
  void metadataIsAnyJsonObject() {
    Map<String, Object> metadata =
        Map.of("list", Arrays.asList(1, "two", true, null), "object", Map.of("half", 0.5));
    Struct struct =
        EntryOptions.DEFAULT.withMetadata(metadata).toOperation(Place.root("agent")).getMetadata();
    ListValue list =
        ListValue.newBuilder()
            .addValues(Value.newBuilder().setNumberValue(1))
            .addValues(Value.newBuilder().setStringValue("two"))
            .addValues(Value.newBuilder().setBoolValue(true))
            .addValues(Value.newBuilder().setNullValue(NullValue.NULL_VALUE))
            .build();
    assertEquals(list, struct.getFieldsOrThrow("list").getListValue());
    Struct object = struct.getFieldsOrThrow("object").getStructValue();
    assertEquals(0.5, object.getFieldsOrThrow("half").getNumberValue());
  }

  @Test
  void metadataThatJsonCannotRepresentIsRefused() {
    Map<String, Object> metadata = Map.of("o", new Object());
    assertThrows(
        UnsupportedValueException.class, () -> EntryOptions.DEFAULT.withMetadata(metadata));
  }
}
