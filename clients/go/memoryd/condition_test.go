package memoryd

import (
	"testing"

	"google.golang.org/protobuf/proto"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

var conditions = map[string]Condition{
	"expected_revision": IfRevision(0),
	"must_not_exist":    IfAbsent(),
	"must_exist":        IfPresent(),
}

func TestAConditionOnSetRemoveAndCreateScopeIsAboutTheRecord(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	for name, condition := range conditions {
		var batch Batch
		batch.Set("k", 1, condition)
		batch.Remove("k", condition)
		_, _ = agent.Set(t.Context(), "k", 1, condition)
		_, _ = agent.Remove(t.Context(), "k", condition)
		_, _ = agent.CreateScope(t.Context(), "task", condition)
		_, _ = agent.Write(t.Context(), &batch)
		operations := requestOf[*memorydv1.BatchWriteEntriesRequest](t, daemon).GetOperations()
		for _, found := range []*memorydv1.Precondition{
			requestOf[*memorydv1.SetEntryRequest](t, daemon).GetPrecondition(),
			requestOf[*memorydv1.RemoveEntryRequest](t, daemon).GetPrecondition(),
			requestOf[*memorydv1.CreateScopeRequest](t, daemon).GetPrecondition(),
			operations[0].GetSet().GetPrecondition(),
			operations[1].GetRemove().GetPrecondition(),
		} {
			if !proto.Equal(found, condition.message) {
				t.Errorf("%s: it is %v", name, found)
			}
		}
	}
}

func TestAConditionOnClearMergeCloseAndEndIsAboutTheAgent(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	for name, condition := range conditions {
		_, _ = agent.Clear(t.Context(), condition)
		_, _ = agent.Attach("s").Merge(t.Context(), Overwrite, condition)
		_ = agent.Attach("s").Close(t.Context(), condition)
		_, _ = agent.End(t.Context(), condition)
		for _, found := range []*memorydv1.Precondition{
			requestOf[*memorydv1.ClearEntriesRequest](t, daemon).GetAgentPrecondition(),
			requestOf[*memorydv1.MergeScopeRequest](t, daemon).GetAgentPrecondition(),
			requestOf[*memorydv1.DisposeScopeRequest](t, daemon).GetAgentPrecondition(),
			requestOf[*memorydv1.EndAgentRequest](t, daemon).GetAgentPrecondition(),
		} {
			if !proto.Equal(found, condition.message) {
				t.Errorf("%s: it is %v", name, found)
			}
		}
	}
}

func TestTheZeroConditionIsNone(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	if _, err := daemon.connect(t).Agent("a").Set(t.Context(), "k", 1, Condition{}); err != nil {
		t.Fatal(err)
	}
	if found := requestOf[*memorydv1.SetEntryRequest](t, daemon).GetPrecondition(); found != nil {
		t.Errorf("it is %v", found)
	}
}

func TestAnAgentLeavesASnapshotIfItsEndSaysSo(t *testing.T) {
	daemon := startRecordingDaemon(t, nil)
	agent := daemon.connect(t).Agent("a")
	for expected, options := range map[bool][]EndOption{true: {IfPresent(), WithSnapshot()}, false: {IfPresent()}} {
		_, _ = agent.End(t.Context(), options...)
		request := requestOf[*memorydv1.EndAgentRequest](t, daemon)
		if request.GetCreateSnapshot() != expected || !request.GetAgentPrecondition().GetMustExist() {
			t.Errorf("it is %v", request)
		}
	}
}
