"""The trail: its watches are bounded, and so are the records of denied calls."""

import pytest
from tests.unit.engine.world import settle

from memoryd_server.domain.error import Draining
from memoryd_server.ports.audit import AuditPhase, AuditRecord
from memoryd_server.transport.auditing.audit_trail import AuditTrail, AuditWatch
from memoryd_server.transport.limit import AUDIT_DENIALS_MAX, AUDIT_DENIALS_S, AUDIT_WATCH_RECORDS_MAX


class Kept:
    """A log that keeps its records, and the trail that fills it."""

    def __init__(self) -> None:
        self.records: list[AuditRecord] = []
        self.now = 0.0
        self.trail = AuditTrail(self, lambda: self.now)

    def add(self, record: AuditRecord) -> None:
        self.records.append(record)


def record(number: int, *, denied: bool = False, caller: str = "") -> AuditRecord:
    return AuditRecord(number, AuditPhase.CALL, "Service/Method", caller, denied=denied)


def everything(_record: AuditRecord) -> bool:
    return True


async def read(watch: AuditWatch, count: int) -> list[tuple[int, int]]:
    """Return the numbers of the next records, each with how many before it were missed."""
    records = watch.records()
    return [(found.time_ns, missed) for found, missed in [await anext(records) for _ in range(count)]]


async def test_a_reader_that_is_too_slow_gets_the_number_of_the_records_it_missed() -> None:
    kept = Kept()
    with kept.trail.watch(everything) as slow, kept.trail.watch(everything) as fast:
        for number in range(AUDIT_WATCH_RECORDS_MAX + 3):
            kept.trail.add(record(number))
            assert await read(fast, 1) == [(number, 0)]
        assert await read(slow, 2) == [(3, 3), (4, 0)]
        kept.trail.add(record(-1))
        kept.trail.add(record(-2))
        rest = await read(slow, AUDIT_WATCH_RECORDS_MAX)
        assert (rest[0], rest[-2:]) == ((5, 0), [(-1, 0), (-2, 0)])
    assert len(kept.records) == AUDIT_WATCH_RECORDS_MAX + 5


async def test_a_watch_gets_the_records_that_it_wants_from_its_beginning_to_its_end() -> None:
    kept = Kept()
    kept.trail.add(record(1))
    with kept.trail.watch(lambda found: found.time_ns != 3) as watch:
        for number in (2, 3, 4):
            kept.trail.add(record(number))
        assert kept.trail.watch_count == 1
        assert await read(watch, 2) == [(2, 0), (4, 0)]
    assert kept.trail.watch_count == 0
    kept.trail.add(record(5))
    assert [found.time_ns for found in kept.records] == [1, 2, 3, 4, 5]


async def test_a_watch_ends_once_it_has_emitted_what_came_before_the_end() -> None:
    kept = Kept()
    with kept.trail.watch(everything) as watch:
        kept.trail.add(record(1))
        kept.trail.close()
        records = watch.records()
        assert (await anext(records))[0].time_ns == 1
        with pytest.raises(Draining):
            await anext(records)
    with kept.trail.watch(everything) as late, pytest.raises(Draining):
        await anext(late.records())
    await settle()


async def test_denied_calls_of_one_caller_beyond_the_bound_are_counted() -> None:
    kept = Kept()
    for number in range(AUDIT_DENIALS_MAX + 7):
        kept.trail.add(record(number, denied=True))
    assert len(kept.records) == AUDIT_DENIALS_MAX
    kept.trail.add(record(-1, denied=True, caller="another"))
    kept.trail.add(record(-2))
    kept.now = AUDIT_DENIALS_S
    kept.trail.add(record(-3, denied=True))
    later = kept.records[AUDIT_DENIALS_MAX:]
    assert [(found.time_ns, found.omitted_count) for found in later] == [(-1, 7), (-2, 0), (-3, 0)]


async def test_a_watch_of_denied_calls_gets_the_number_of_those_that_were_omitted() -> None:
    kept = Kept()
    for number in range(AUDIT_DENIALS_MAX + 7):
        kept.trail.add(record(number, denied=True))
    with kept.trail.watch(lambda found: found.denied) as watch:
        kept.trail.add(record(-1))
        kept.trail.add(record(-2, denied=True, caller="another"))
        kept.trail.add(record(-3, denied=True, caller="another"))
        records = watch.records()
        assert [(await anext(records))[0].omitted_count for _ in range(2)] == [7, 0]


async def test_what_was_omitted_before_a_record_that_a_reader_missed_counts_as_missed() -> None:
    kept = Kept()
    for number in range(AUDIT_DENIALS_MAX + 7):
        kept.trail.add(record(number, denied=True))
    with kept.trail.watch(everything) as slow:
        for number in range(AUDIT_WATCH_RECORDS_MAX + 2):
            kept.trail.add(record(number))
        assert await read(slow, 2) == [(2, 2 + 7), (3, 0)]


async def test_where_others_publish_watches_get_what_these_publish() -> None:
    kept = Kept()
    kept.trail.others_publish = True
    with kept.trail.watch(everything) as watch:
        kept.trail.add(record(1))
        kept.trail.publish(record(2))
        assert await read(watch, 1) == [(2, 0)]
    assert [found.time_ns for found in kept.records] == [1]
