package io.memoryd.client;

import io.memoryd.v1.CommitRequest;
import io.memoryd.v1.CommitResponse;
import io.memoryd.v1.TransactionServiceGrpc;
import io.memoryd.v1.WriteResult;
import java.util.Iterator;
import java.util.List;

/** Changes of one agent that are sent together, as one commit. */
final class ChangeBatch extends EntryBatch<EntryCall.Change<?>, CommitResponse> {
  ChangeBatch(Connection connection, List<EntryCall.Change<?>> calls) {
    super(connection, calls);
  }

  @Override
  void begin() {
    CommitRequest.Builder request = CommitRequest.newBuilder().setAgentId(calls().get(0).agentId());
    calls().forEach(each -> request.addWrites(each.write()));
    TransactionServiceGrpc.newStub(connection().channel())
        .withDeadline(calls().get(0).deadline())
        .commit(request.build(), this);
  }

  @Override
  void settle(CommitResponse response) {
    Iterator<EntryCall.Change<?>> calls = calls().iterator();
    for (WriteResult result : response.getResultsList()) {
      if (calls.hasNext()) {
        calls.next().succeedWith(result);
      }
    }
  }
}
