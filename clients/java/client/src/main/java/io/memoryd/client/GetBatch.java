package io.memoryd.client;

import io.memoryd.v1.BatchGetEntriesRequest;
import io.memoryd.v1.BatchGetEntriesResponse;
import io.memoryd.v1.Entry;
import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.util.Iterator;
import java.util.List;

/** Reads in one scope that are sent together. */
final class GetBatch extends EntryBatch<EntryCall.Get, BatchGetEntriesResponse> {
  GetBatch(Connection connection, List<EntryCall.Get> calls) {
    super(connection, calls);
  }

  @Override
  void begin() {
    GetEntryRequest first = calls().get(0).request();
    BatchGetEntriesRequest.Builder request =
        BatchGetEntriesRequest.newBuilder()
            .setAgentId(first.getAgentId())
            .setScopeId(first.getScopeId())
            .setLocalOnly(first.getLocalOnly());
    calls().forEach(each -> request.addKeys(each.request().getKey()));
    WorkingMemoryServiceGrpc.newStub(connection().channel())
        .withDeadline(calls().get(0).deadline())
        .batchGetEntries(request.build(), this);
  }

  @Override
  void settle(BatchGetEntriesResponse response) {
    // They are in the order of the keys. A key that was requested twice has two.
    Iterator<Entry> entries = response.getEntriesList().iterator();
    Entry next = entries.hasNext() ? entries.next() : null;
    for (EntryCall.Get call : calls()) {
      var answer = GetEntryResponse.newBuilder().setRevision(response.getRevision());
      if (next != null && next.getKey().equals(call.request().getKey())) {
        answer.setFound(true).setEntry(next);
        next = entries.hasNext() ? entries.next() : null;
      }
      call.succeed(answer.build());
    }
  }
}
