package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.SetEntryRequest;
import org.junit.jupiter.api.Test;

class RequestIdsTest {
  @Test
  void aChangeGetsARequestIdOf128Bits() {
    SetEntryRequest request = SetEntryRequest.newBuilder().setKey("k").build();
    SetEntryRequest first = RequestIds.withRequestId(request);
    assertTrue(first.getRequestId().matches("[0-9a-f]{32}"), first.getRequestId());
    assertEquals("k", first.getKey());
    assertNotEquals(first, RequestIds.withRequestId(request));
  }

  @Test
  void aRequestIdThatTheCallerSetIsKept() {
    SetEntryRequest request = SetEntryRequest.newBuilder().setRequestId("mine").build();
    assertSame(request, RequestIds.withRequestId(request));
  }

  @Test
  void aReadIsNotChanged() {
    GetEntryRequest request = GetEntryRequest.getDefaultInstance();
    assertSame(request, RequestIds.withRequestId(request));
  }
}
