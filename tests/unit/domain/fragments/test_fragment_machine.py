"""Random commands on the buffer, compared with a model of a list and a few dicts."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.unit.domain.sample import NOW, Agent
from tests.unit.record_filters import of_fragments

from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.fragments.fragment_change import ClearFragments, DeleteFragment, FlushFragments
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import AcknowledgeFragments, ReleaseFragments
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.values.record_filter import EVERY_RECORD
from memoryd_server.domain.values.word import words_of

FRAGMENTS_MAX = 6
CONTENTS = st.text("aB ,", max_size=5)
SECONDS = st.integers(1, 5)


class Kept:
    """The model of a fragment. ``held_until`` is when its lease ends, 0 for none."""

    def __init__(self, fragment_id: str, content: str, confidence: float | None, expire_time: int) -> None:
        self.fragment_id = fragment_id
        self.content = content
        self.confidence = confidence
        self.expire_time = expire_time
        self.flushed = False
        self.held_until = 0
        self.token = ""
        self.deliveries = 0


class BufferMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.agent = Agent(Limits(fragments_per_agent=FRAGMENTS_MAX))
        self.model: list[Kept] = []

    def live(self) -> list[Kept]:
        self.model = [each for each in self.model if each.flushed or self.agent.now < each.expire_time]
        return self.model

    @rule(content=CONTENTS, seconds=SECONDS, confidence=st.sampled_from([None, 0.2, 0.8]), threshold=st.integers(0, 4))
    def store(self, content: str, seconds: int, confidence: float | None, threshold: int) -> None:
        ttl_ns = seconds * SECOND_NS
        if len(self.live()) == FRAGMENTS_MAX and all(each.flushed for each in self.model):
            with pytest.raises(QuotaExceeded):
                self.agent.store(content, ttl_ns=ttl_ns, confidence=confidence, threshold=threshold)
            return
        fragment = self.agent.store(content, ttl_ns=ttl_ns, confidence=confidence, threshold=threshold)
        if len(self.model) == FRAGMENTS_MAX:
            self.model.remove(next(each for each in self.model if not each.flushed))
        self.model.append(Kept(fragment.fragment_id, content, confidence, self.agent.now + ttl_ns))
        waiting = [each for each in self.model if not each.flushed]
        if threshold and len(waiting) >= threshold:
            for each in waiting:
                each.flushed = True

    @rule(place=st.integers(0, FRAGMENTS_MAX - 1))
    def delete(self, place: int) -> None:
        live = self.live()
        if place < len(live):
            assert self.agent.do(DeleteFragment(live.pop(place).fragment_id)).deleted

    @rule()
    def flush(self) -> None:
        waiting = [each for each in self.live() if not each.flushed]
        assert self.agent.do(FlushFragments()).fragments_flushed == len(waiting)
        for each in waiting:
            each.flushed = True

    @rule(count_max=st.integers(1, 3), seconds=SECONDS)
    def lease(self, count_max: int, seconds: int) -> None:
        free = [each for each in self.live() if each.flushed and each.held_until <= self.agent.now]
        lease = self.agent.lease(count_max, seconds * SECOND_NS)
        handed_out = [] if lease is None else self.agent.state.part(FRAGMENTS).held(lease)
        assert [each.fragment_id for each in handed_out] == [each.fragment_id for each in free[:count_max]]
        for each in free[:count_max]:
            assert lease is not None
            each.held_until, each.token = lease.expire_time, lease.token
            each.deliveries += 1

    def held(self) -> list[Kept]:
        return [each for each in self.live() if each.held_until > self.agent.now]

    @precondition(lambda self: self.held())
    @rule(only_first=st.booleans(), release=st.booleans())
    def settle(self, only_first: bool, release: bool) -> None:
        first = self.held()[0]
        chosen = [each for each in self.held() if each.token == first.token and (each is first or not only_first)]
        settling = ReleaseFragments if release else AcknowledgeFragments
        names = frozenset({first.fragment_id}) if only_first else frozenset[str]()
        assert self.agent.do(settling(first.token, names)).count == len(chosen)
        for each in chosen:
            each.held_until = 0
        if not release:
            self.model = [each for each in self.model if each not in chosen]

    @rule()
    def clear(self) -> None:
        assert self.agent.do(ClearFragments()).fragments_cleared == len(self.live())
        self.model = []

    @rule(seconds=SECONDS, sweeps=st.booleans())
    def pass_time(self, seconds: int, sweeps: bool) -> None:
        self.agent.now += seconds * SECOND_NS
        if sweeps:
            self.agent.do(ExpireRecords())

    @invariant()
    def everything_is_as_in_the_model(self) -> None:
        buffer, now, live = self.agent.state.part(FRAGMENTS), self.agent.now, self.live()
        ids = [each.fragment_id for each in live]
        assert [each.fragment_id for each in buffer.oldest_first(now)] == ids
        assert [each.fragment_id for each in buffer.newest_first(now)] == ids[::-1]
        assert [each.delivery_count for each in buffer.oldest_first(now)] == [each.deliveries for each in live]
        assert buffer.live_count(now) == len(live)
        assert buffer.waiting_count(now) == sum(not each.flushed for each in live)
        assert buffer.leased_count(now) == len(self.held())
        assert buffer.has_available(now) == any(each.flushed and each.held_until <= now for each in live)
        for query in ("a", "b AB", "aa"):
            found = [each for each in live[::-1] if words_of(query) & words_of(each.content)]
            sure = [each.fragment_id for each in found if each.confidence is not None and each.confidence >= 0.5]
            assert [each.fragment_id for each in buffer.search(query, EVERY_RECORD, now)] == [
                e.fragment_id for e in found
            ]
            assert [each.fragment_id for each in buffer.search(query, of_fragments(min_confidence=0.5), now)] == sure
        assert now >= NOW


TestBuffer = BufferMachine.TestCase
TestBuffer.settings = settings(max_examples=100, stateful_step_count=30)
