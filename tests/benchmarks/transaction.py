"""Commits of writes of several kinds, against the same writes as calls of their own, one after the other."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.timing import percentiles_ms, times_ms
from tests.daemon import insecure_channel

from memoryd.v1 import conversation_service_pb2 as conversation_pb
from memoryd.v1 import conversation_service_pb2_grpc as conversation_grpc
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import fragment_service_pb2_grpc as fragment_grpc
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import note_service_pb2_grpc as note_grpc
from memoryd.v1 import transaction_service_pb2 as pb
from memoryd.v1 import transaction_service_pb2_grpc
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd.v1 import working_memory_service_pb2_grpc as entry_grpc

SIZES = {1: 300, 10: 100, 100: 30}
"""The number of commits of each number of writes."""
TEXT = "x" * 200

_numbers = itertools.count()


def commits(directory: Path) -> list[Figure]:
    """Measure commits and single calls in turn, so that a slow moment of the machine affects both alike."""
    figures = []
    with DaemonProcess(directory) as daemon, insecure_channel(daemon.address) as channel:
        stub = transaction_service_pb2_grpc.TransactionServiceStub(channel)
        methods: dict[str, Callable[[Any], Any]] = {
            "set_entry": entry_grpc.WorkingMemoryServiceStub(channel).SetEntry,
            "create_note": note_grpc.NoteServiceStub(channel).CreateNote,
            "append_messages": conversation_grpc.ConversationServiceStub(channel).AppendMessages,
            "create_fragment": fragment_grpc.FragmentServiceStub(channel).CreateFragment,
        }
        for size, count in SIZES.items():
            together_ms: list[float] = []
            apart_ms: list[float] = []
            for number in range(count):
                agent_id = f"agent-{size}-{number // 5}"
                request = pb.CommitRequest(agent_id=agent_id, writes=_writes(size))
                together_ms += times_ms([partial(stub.Commit, request)])
                apart_ms += times_ms([partial(_call_each, methods, f"{agent_id}-apart", _writes(size))])
            together, apart = percentile(together_ms, 50), percentile(apart_ms, 50)
            calls = f"{size} calls" if size > 1 else "one call"
            times = f"p50 {apart:.2f} ms, {apart / together:.1f} times as long"
            detail = f"{percentiles_ms(together_ms)}; as {calls}: {times}"
            figures.append(Figure("TX", f"Commit of {size} mixed writes, p50", together, "ms", detail=detail))
    return figures


def _writes(size: int) -> list[pb.Write]:
    made = []
    for number in range(size):
        kind = number % 4
        if kind == 0:
            made.append(pb.Write(set_entry=entry_pb.SetEntryRequest(key=f"k{number}", value_json=f'"{TEXT}"')))
        elif kind == 1:
            draft = {"note_id": f"n{next(_numbers)}", "title": "t", "content": TEXT}
            made.append(pb.Write(create_note=note_pb.CreateNoteRequest(draft=draft)))
        elif kind == 2:
            said = conversation_pb.AppendMessagesRequest(conversation_id="c", drafts=[{"role": 1, "content": TEXT}])
            made.append(pb.Write(append_messages=said))
        else:
            made.append(pb.Write(create_fragment=fragment_pb.CreateFragmentRequest(draft={"content": TEXT})))
    return made


def _call_each(methods: dict[str, Callable[[Any], Any]], agent_id: str, writes: Sequence[pb.Write]) -> None:
    for write in writes:
        name = str(write.WhichOneof("write"))
        request = getattr(write, name)
        request.agent_id = agent_id
        methods[name](request)
