"""P-7: the latency of lists of 100,000 memories that a filter selects few of, with the total count and the order."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.timing import percentiles_ms, times_ms

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub

MEMORIES = 100_000
CALLS = 200
PAGE = 100
BATCH_MEMORIES = 1_000

_AGENT = "agent"
_USERS, _CUSTOMERS, _DAYS = 1_000, 2_000, 365


def list_size(directory: Path) -> list[Figure]:
    """Measure lists by one value of the metadata, by a range, by user and tag, and by what must not hold."""
    directory.mkdir(exist_ok=True)
    with DaemonProcess(directory, "--durability", "journaled", "--embedder", "none") as daemon:
        stub = LongTermMemoryServiceStub(daemon.channel)
        for start in range(0, MEMORIES, BATCH_MEMORIES):
            drafts = [_draft(number) for number in range(start, start + BATCH_MEMORIES)]
            stub.BatchCreateMemories(pb.BatchCreateMemoriesRequest(agent_id=_AGENT, drafts=drafts))
        daemon.settle()
        daemon.kill()
        daemon.start()
        stub = LongTermMemoryServiceStub(daemon.channel)
        (first_ms,) = times_ms([partial(stub.ListMemories, _request(_by_customer(0)))])
        cold = "the first list after SIGKILL and a start, with all that it loads"
        figures = [Figure("P-7", f"First list of {MEMORIES:,} memories", first_ms / 1000, "s", detail=cold)]
        for name, filters in _FILTERS.items():
            _measure(stub, filters[:20])
            times = _measure(stub, filters)
            selected = stub.ListMemories(_request(filters[0])).total_count
            detail = f"{percentiles_ms(times)}, over gRPC; {selected:,} are selected, pages of {PAGE}"
            figures.append(Figure("P-7", f"List by {name}, p95", percentile(times, 95), "ms", below=20, detail=detail))
        return figures


def _measure(stub: LongTermMemoryServiceStub, filters: Sequence[dict[str, Any]]) -> list[float]:
    return times_ms(partial(stub.ListMemories, _request(each)) for each in filters)


def _draft(number: int) -> pb.MemoryDraft:
    draft = pb.MemoryDraft(
        memory_id=f"m-{number}",
        content=f"Order {number} was placed.",
        user_id=f"user-{number % _USERS}",
        tags=[f"tag-{number % 50}"],
        allow_duplicates=True,
        skip_contradictions=True,
    )
    customer = {"id": f"c-{number % _CUSTOMERS}", "tier": ("gold", "silver", "bronze")[number % 3]}
    # Unlike the customer, the amount is another one for each memory.
    draft.metadata.update({"customer": customer, "amount": number * 7919 % MEMORIES, "day": number % _DAYS})
    return draft


def _request(chosen: dict[str, Any]) -> pb.ListMemoriesRequest:
    return pb.ListMemoriesRequest(agent_id=_AGENT, page_size=PAGE, filter=chosen)


def _where(path: str, **test: Any) -> list[dict[str, Any]]:
    return [{"path": path, **test}]


def _by_customer(number: int) -> dict[str, Any]:
    equals = {"string_value": f"c-{number % _CUSTOMERS}"}
    return {"all_users": True, "metadata": _where("customer.id", equals=equals)}


def _by_amount(number: int) -> dict[str, Any]:
    start, end = {"number_value": number * 100}, {"number_value": number * 100 + 100}
    return {"all_users": True, "metadata": _where("amount", range={"at_least": start, "less_than": end})}


def _by_user(number: int) -> dict[str, Any]:
    return {"user_ids": [f"user-{number % _USERS}"], "all_tags": [f"tag-{number % 50}"]}


def _by_not(number: int) -> dict[str, Any]:
    gold = {"metadata": _where("customer.tier", equals={"string_value": "gold"})}
    return {"user_ids": [f"user-{number % _USERS}"], "none_of": [gold]}


_FILTERS = {
    "a value of the metadata": [_by_customer(number) for number in range(CALLS)],
    "a range of the metadata": [_by_amount(number) for number in range(CALLS)],
    "user and tag": [_by_user(number) for number in range(CALLS)],
    "user, and metadata that must not be": [_by_not(number) for number in range(CALLS)],
}
"""The filters of each figure: another one for each call."""
