"""P-1 and P-2: calls per second and what one costs the processor over each transport, and entries per second."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.go_loader import has_go, measure_calls, measure_writes, request_id, without_ids
from tests.benchmarks.load import Rate, Shape, measure, require_h2load
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.server import EMPTY_GET, EMPTY_SET
from tests.benchmarks.transport import Transport, daemon_of_each, in_turn

ROUNDS = 7
BATCH_ROUNDS = 5
MANY_AGENTS = 64
BATCH_ENTRIES = 100

_EIGHT_OF_SIXTEEN = Shape(connections=8, streams=16, seconds=1)
_TWO_EACH = Shape(connections=1, streams=2, seconds=1)
"""For 64 requests at a time: 128 calls in flight, as with 8 connections of 16."""

_GET = f"{workload.SERVICE}/GetEntry"
_SET = f"{workload.SERVICE}/SetEntry"


class Target(msgspec.Struct, frozen=True):
    """The targets of a method: over the front end, and, over grpcio's server, as a share of an empty method."""

    calls_per_s: float
    cpu_us: float
    of_empty_percent: float


class Subject(msgspec.Struct, frozen=True):
    """One of the methods that are measured in turn. ``is_empty`` is true for the empty method."""

    transport: Transport
    is_empty: bool
    measure: Callable[[], Rate]


def get_entry(directory: Path) -> list[Figure]:
    """P-1: GetEntry, by h2load; by the loader as well, to compare the two."""
    require_h2load()
    request = workload.get_request("agent")
    with daemon_of_each(directory) as daemons:
        for daemon in daemons.values():
            daemon.memory.SetEntry(workload.set_request("agent"))
        before = {each: _access_count(daemon) for each, daemon in daemons.items()}
        subjects = _subjects(
            daemons,
            _GET,
            EMPTY_GET,
            lambda daemon, path: measure(daemon, path, [request], _EIGHT_OF_SIXTEEN, directory),
        )
        rates = _measured(subjects, ROUNDS)
        for subject in subjects:
            if not subject.is_empty:
                happened = _access_count(daemons[subject.transport]) - before[subject.transport]
                _verify(happened, sum(rate.calls for rate in rates[subject]))
        checks = {
            each: measure_calls(daemon, _GET, [request], _EIGHT_OF_SIXTEEN).calls_per_s
            for each, daemon in daemons.items()
            if has_go()
        }
    details = {each: f"; {rate:,.0f} calls/s in one run of the loader" for each, rate in checks.items()}
    return _figures("GetEntry", Target(80_000, 12, 90), rates, details)


def set_entry(directory: Path) -> list[Figure]:
    """P-1: synced SetEntry over many agents, the case that the daemon is built for, and over one."""
    return [
        *_set_entry(directory / "many", MANY_AGENTS, _TWO_EACH, Target(8_000, 80, 75)),
        *_set_entry(directory / "one", 1, _EIGHT_OF_SIXTEEN, Target(15_000, 50, 75)),
    ]


def batches(directory: Path) -> list[Figure]:
    """P-2: batches of 100."""
    require_h2load()
    keys = workload.keys(BATCH_ENTRIES)
    agent_ids = workload.agent_ids(8)
    writes = [workload.batch_write_request(agent_id, keys, request_id=request_id()) for agent_id in agent_ids]
    reads = [workload.batch_get_request(agent_ids[0], keys)]
    write_path, read_path = f"{workload.SERVICE}/BatchWriteEntries", f"{workload.SERVICE}/BatchGetEntries"
    with daemon_of_each(directory) as daemons:
        for daemon in daemons.values():
            daemon.memory.BatchWriteEntries(workload.batch_write_request(agent_ids[0], keys))
        writing = _subjects(
            daemons,
            write_path,
            None,
            lambda daemon, path: measure_writes(daemon, path, writes, Shape(1, 4, 1), directory),
        )
        written = _measured(writing, BATCH_ROUNDS)
        for subject in writing:
            revisions = sum(daemons[subject.transport].revision(each) for each in agent_ids)
            _verify(revisions, sum(rate.calls for rate in written[subject]))
        reading = _subjects(
            daemons, read_path, None, lambda daemon, path: measure(daemon, path, reads, Shape(8, 4, 1), directory)
        )
        read = _measured(reading, BATCH_ROUNDS)
        for daemon in daemons.values():
            _verify(len(daemon.memory.BatchGetEntries(reads[0]).entries), BATCH_ENTRIES)
    return [
        *(
            _entry_rate("BatchWriteEntries of 100, synced", 70_000, each, rates, without_ids())
            for each, rates in written.items()
        ),
        *(_entry_rate("BatchGetEntries of 100", 500_000, each, rates) for each, rates in read.items()),
    ]


def _set_entry(directory: Path, agents: int, shape: Shape, target: Target) -> list[Figure]:
    agent_ids = workload.agent_ids(agents)
    requests = [workload.set_request(agent_id, request_id=request_id()) for agent_id in agent_ids]
    with daemon_of_each(directory) as daemons:
        for daemon in daemons.values():
            for agent_id in agent_ids:
                daemon.memory.SetEntry(workload.set_request(agent_id))
        subjects = _subjects(
            daemons, _SET, EMPTY_SET, lambda daemon, path: measure_writes(daemon, path, requests, shape, directory)
        )
        rates = _measured(subjects, ROUNDS)
        for subject in subjects:
            if not subject.is_empty:
                revisions = sum(daemons[subject.transport].revision(agent_id) for agent_id in agent_ids)
                _verify(revisions, sum(rate.calls for rate in rates[subject]))
    name = f"SetEntry synced, {agents} agent{'s' * (agents > 1)}"
    return _figures(name, target, rates, dict.fromkeys(daemons, without_ids()))


def _subjects(
    daemons: Mapping[Transport, DaemonProcess],
    path: str,
    empty: str | None,
    measured: Callable[[DaemonProcess, str], Rate],
) -> list[Subject]:
    """Return the method over each transport, and the empty one, which only grpcio's server has."""

    def subject(transport: Transport, path: str, *, is_empty: bool) -> Subject:
        return Subject(transport, is_empty, lambda: measured(daemons[transport], path))

    subjects = [subject(transport, path, is_empty=False) for transport in daemons]
    if empty is not None:
        # To h2load, the refusal of an unknown method would be a success.
        daemons[Transport.GRPC].channel.unary_unary(empty)(b"")
    return subjects if empty is None else [*subjects, subject(Transport.GRPC, empty, is_empty=True)]


def _measured(subjects: Sequence[Subject], rounds: int) -> dict[Subject, list[Rate]]:
    rates: dict[Subject, list[Rate]] = {subject: [] for subject in subjects}
    for subject in in_turn(subjects, rounds):
        rates[subject].append(subject.measure())
    return rates


def _figures(
    name: str, target: Target, rates: Mapping[Subject, Sequence[Rate]], details: Mapping[Transport, str]
) -> list[Figure]:
    figures = []
    for subject, ours in rates.items():
        if subject.is_empty:
            figures.append(_ratio(name, target.of_empty_percent, rates, subject))
            continue
        has_target = subject.transport is Transport.FRONT
        over = f"{name}, over {subject.transport.title}"
        latency = "".join(f"; {each}" for each in _latencies(ours))
        detail = f"median of {len(ours)} runs in turn{latency}{details.get(subject.transport, '')}"
        rate, cpu_us = _median(ours, lambda each: each.calls_per_s), _median(ours, lambda each: each.cpu_us)
        least_us = min(each.cpu_us for each in ours)
        figures += [
            Figure("P-1", over, rate, "calls/s", at_least=target.calls_per_s if has_target else None, detail=detail),
            Figure(
                "P-1", f"{over}, processor", cpu_us, "µs/call", below=target.cpu_us if has_target else None,
                detail=f"all threads of the daemon, user and system; at least {least_us:.1f} µs",
            ),
        ]  # fmt: skip
    return figures


def _latencies(rates: Sequence[Rate]) -> list[str]:
    p50s, p99s = [each.p50_ms for each in rates], [each.p99_ms for each in rates]
    named = (("p50", [each for each in p50s if each is not None]), ("p99", [each for each in p99s if each is not None]))
    return [f"{name} {statistics.median(values):.1f} ms" for name, values in named if values]


def _ratio(name: str, target: float, rates: Mapping[Subject, Sequence[Rate]], empty: Subject) -> Figure:
    real = next(each for each in rates if each.transport is Transport.GRPC and not each.is_empty)
    pairs = list(zip(rates[real], rates[empty], strict=True))
    percent = 100 * statistics.median(ours.calls_per_s / theirs.calls_per_s for ours, theirs in pairs)
    rate, cpu_us = _median(rates[empty], lambda each: each.calls_per_s), _median(rates[empty], lambda each: each.cpu_us)
    detail = f"the empty method: {rate:,.0f} calls/s, {cpu_us:.0f} µs of processor a call; median of {len(pairs)} pairs"
    return Figure(
        "P-1", f"{name}, over grpcio's server, of an empty method", percent, "%", at_least=target, detail=detail
    )


def _entry_rate(name: str, target: float, subject: Subject, rates: Sequence[Rate], note: str = "") -> Figure:
    calls_per_s, cpu_us = _median(rates, lambda each: each.calls_per_s), _median(rates, lambda each: each.cpu_us)
    detail = f"median of {len(rates)}; {cpu_us / BATCH_ENTRIES:.1f} µs of processor an entry, all threads{note}"
    at_least = target if subject.transport is Transport.FRONT else None
    over = f"{name}, over {subject.transport.title}"
    return Figure("P-2", over, calls_per_s * BATCH_ENTRIES, "entries/s", at_least=at_least, detail=detail)


def _median(rates: Sequence[Rate], of: Callable[[Rate], float]) -> float:
    return statistics.median(of(rate) for rate in rates)


def _access_count(daemon: DaemonProcess) -> int:
    count: int = daemon.memory.GetEntry(workload.get_request("agent")).entry.access_count
    return count


def _verify(happened: int, counted: int) -> None:
    """Raise RuntimeError if fewer calls happened than were counted.

    h2load counts gRPC errors as successes, and an answer to a repeated request changes nothing. More may have happened:
    h2load does not count the calls of its warm-up.
    """
    if happened < counted:
        raise RuntimeError(f"the load counted {counted} calls, but only {happened} happened")
