"""Facts that changed: the one in force is found first, the other says what contradicts it."""

import itertools
import time
from collections.abc import Sequence

import msgspec
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.recall.remembering import USER, Remembering
from tests.integration.wire import Wire

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.context_service_pb2 import ComposeContextRequest, ContextSection, MemoriesSource
from memoryd.v1.context_service_pb2_grpc import ContextServiceStub
from memoryd.v1.memory_pb2 import MEMORY_LINK_TYPE_SUPERSEDES, MEMORY_STATUS_ACTIVE, MEMORY_STATUS_SUPERSEDED
from memoryd.v1.record_filter_pb2 import MemoryCondition, RecordFilter

DAY_S = 86_400


class Changed(msgspec.Struct, frozen=True):
    """A fact before and after it changed, and a question about it."""

    old: str
    new: str
    question: str


CHANGED = [
    Changed("Bob works for Acme", "Bob works for Globex", "Who does Bob work for?"),
    Changed("Ann lives in Oslo", "Ann moved to Bergen", "Where does Ann live?"),
    Changed(
        "User's favourite colour is blue", "User's favourite colour is green", "What colour does the user like best?"
    ),
    Changed("Maria is married", "Maria is divorced", "Is Maria married?"),
    Changed("The user prefers tea over coffee", "The user prefers coffee over tea", "What should I offer to drink?"),
    Changed("Tom has two children", "Tom has three children", "How many children does Tom have?"),
    Changed(
        "The deadline of the report is May 3", "The report is due on May 10", "When is the deadline of the report?"
    ),
    Changed("User is a vegetarian", "User is no longer a vegetarian", "Is the user a vegetarian?"),
    Changed("The laptop runs Ubuntu", "The laptop runs Debian", "Which system runs on the laptop?"),
    Changed("We use PostgreSQL for billing", "We use MySQL for billing", "Which database is billing on?"),
    Changed("Anna arbeitet bei Siemens", "Anna arbeitet bei Bosch", "Wo arbeitet Anna?"),
]
AGES_DAYS = (0, 30, 365)


def _days_ago(days: int) -> Timestamp:
    return Timestamp(seconds=int(time.time()) - days * DAY_S)


def _remember(agent: Remembering, content: str, days_ago: int, memory_id: str) -> str:
    """Create a fact of the type semantic, with what contradicts it, and return its id."""
    draft = pb.MemoryDraft(
        content=content, user_id=USER, memory_id=memory_id, type="MEMORY_TYPE_SEMANTIC", occur_time=_days_ago(days_ago)
    )
    return agent.create(draft)[0]


def _changed(agent: Remembering, changed: Changed, age_days: int, *, old_first: bool = True) -> None:
    """Create both facts, in one order or the other, among other ones."""
    steps = [(changed.old, age_days, "old"), (changed.new, 0, "new")]
    for content, days_ago, memory_id in steps if old_first else steps[::-1]:
        _remember(agent, content, days_ago, memory_id)
    agent.remember("The user has a cat", type="MEMORY_TYPE_SEMANTIC")
    agent.remember("Carl works as a nurse", type="MEMORY_TYPE_SEMANTIC")


@pytest.mark.parametrize(
    ("changed", "age_days", "old_first"), list(itertools.product(CHANGED, AGES_DAYS, (True, False)))
)
def test_the_stale_fact_never_comes_first(
    fresh: Remembering, changed: Changed, age_days: int, *, old_first: bool
) -> None:
    if age_days == 0 and not old_first:
        # Of facts of the same time, the one that was created later is the newer one.
        changed, old_first = Changed(changed.new, changed.old, changed.question), True
    _changed(fresh, changed, age_days, old_first=old_first)
    found = fresh.recall(changed.question).memories
    places = {each.memory.memory_id: place for place, each in enumerate(found)}
    assert places["new"] < places["old"]
    by_id = {each.memory.memory_id: each for each in found}
    assert list(by_id["old"].contradicted_by) == ["new"]
    assert list(by_id["new"].contradicted_by) == []
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@pytest.mark.parametrize("question", ["Who does Bob work for?", "Which company is Bob at?", "Acme"])
def test_one_match_is_the_current_one(fresh: Remembering, question: str) -> None:
    _changed(fresh, CHANGED[0], 365)
    assert fresh.found(question, limit=1) == ["new"]


@pytest.mark.parametrize(
    "question",
    [
        "Who did Bob work for before?",
        "Who did Bob work for before Globex?",
        "Where did Bob previously work?",
        "Who was Bob's former employer?",
        "Which company did Bob use to be at, in the past?",
        "Which company used to employ Bob?",
    ],
)
def test_a_question_about_before_finds_the_old_fact_first(fresh: Remembering, question: str) -> None:
    _changed(fresh, CHANGED[0], 365)
    found = fresh.recall(question).memories
    assert [each.memory.memory_id for each in found][:2] == ["old", "new"]
    assert list(found[0].contradicted_by) == ["new"]


def test_a_question_about_a_period_finds_first_what_was_so_then(fresh: Remembering) -> None:
    _changed(fresh, CHANGED[0], 500)
    year = time.gmtime(time.time() - 400 * DAY_S).tm_year
    then = fresh.found(f"Who did Bob work for in {year}?")
    assert then.index("old") < then.index("new")
    now = fresh.found("Who does Bob work for today?")
    assert now.index("new") < now.index("old")


def test_of_three_facts_the_question_chooses_one(fresh: Remembering) -> None:
    for number, (company, days_ago) in enumerate((("Acme", 2_000), ("Globex", 1_000), ("Initech", 1))):
        _remember(fresh, f"Bob works for {company}", days_ago, f"m{number}")
    assert fresh.found("Who does Bob work for?") == ["m2", "m1", "m0"]
    assert fresh.found("Who did Bob work for before?") == ["m1", "m0", "m2"]
    assert fresh.found("Who did Bob work for before Globex?")[0] == "m0"
    assert list(fresh.recall("Who does Bob work for?").memories[2].contradicted_by) == ["m2", "m1"]


def test_only_memories_that_may_be_seen_contradict(fresh: Remembering) -> None:
    _changed(fresh, CHANGED[0], 30)
    before = Timestamp(seconds=int(time.time()) - DAY_S)
    (old,) = fresh.stub.RecallMemories(
        pb.RecallMemoriesRequest(
            agent_id=fresh.id,
            query="Who does Bob work for?",
            filter=RecordFilter(all_users=True, memory=MemoryCondition(occur_end_time=before)),
        )
    ).memories
    assert (old.memory.memory_id, list(old.contradicted_by)) == ("old", [])


def test_a_superseded_memory_is_found_as_history_behind_its_successor(fresh: Remembering) -> None:
    _changed(fresh, CHANGED[0], 0)
    fresh.stub.LinkMemories(
        pb.LinkMemoriesRequest(
            agent_id=fresh.id, from_memory_id="old", to_memory_id="new", type=MEMORY_LINK_TYPE_SUPERSEDES
        )
    )
    assert "new" not in fresh.found("Who does Bob work for?")
    statuses = [MEMORY_STATUS_ACTIVE, MEMORY_STATUS_SUPERSEDED]
    both = RecordFilter(all_users=True, memory=MemoryCondition(statuses=statuses))

    def asked(question: str) -> Sequence[pb.ScoredMemory]:
        request = pb.RecallMemoriesRequest(agent_id=fresh.id, query=question, filter=both, limit=2)
        return fresh.stub.RecallMemories(request).memories

    # The older one supersedes the newer: that is what the writer said.
    assert [each.memory.memory_id for each in asked("Who does Bob work for?")] == ["old", "new"]
    assert [list(each.contradicted_by) for each in asked("Who does Bob work for?")] == [[], ["old"]]
    assert [each.memory.memory_id for each in asked("Who did Bob work for before?")] == ["new", "old"]


def test_a_context_marks_what_is_outdated(fresh: Remembering, wire: Wire) -> None:
    _changed(fresh, CHANGED[0], 365)
    section = ContextSection(
        memories=MemoriesSource(query="Who does Bob work for?", filter=RecordFilter(all_users=True))
    )
    request = ComposeContextRequest(agent_id=fresh.id, max_tokens=1_000, sections=[section])
    (message,) = ContextServiceStub(wire.channel).ComposeContext(request).messages
    lines = [line for line in message.content.splitlines() if "Bob" in line]
    assert lines == ["- Bob works for Globex", "- (outdated: a newer memory contradicts this) Bob works for Acme"]
