"""Questions about the present and the past, judged by hand: which of some memories a person would name first.

In the cases ``changed``, the memories say what is so and what was so; in those ``kept``, words of the past mislead.
The cases of ``development.tsv`` are those that the rules were written with. Those of ``held_out.tsv`` were written
before the rules were; one rule, for questions about who is something, was added for one of them. Those of
``afterwards.tsv`` were written when the rules were finished, and no rule was changed for them.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.recall.remembering import USER, Remembering
from tests.integration.wire import Wire

from memoryd.v1 import long_term_memory_service_pb2 as pb

DAY_S = 86_400
CASES = Path(__file__).with_name("present")


class Case(msgspec.Struct, frozen=True):
    """Memories, each with its age in days, a question, and the number of the memory that must be first, from 1."""

    kind: str
    question: str
    first: int
    memories: Sequence[tuple[int, str]]


def cases_in(name: str) -> Sequence[Case]:
    lines = (CASES / f"{name}.tsv").read_text("utf-8").splitlines()
    return [_case_of(*line.split("\t")) for line in lines]


def _case_of(kind: str, question: str, first: str, *memories: str) -> Case:
    aged = [each.split(" ", 1) for each in memories]
    return Case(kind, question, int(first), [(int(days), content) for days, content in aged])


def is_right(agent: Remembering, case: Case) -> bool:
    now = int(time.time())
    for number, (days, content) in enumerate(case.memories, 1):
        agent.create(
            pb.MemoryDraft(
                content=content, user_id=USER, memory_id=f"m{number}", occur_time=Timestamp(seconds=now - days * DAY_S)
            )
        )
    agent.remember("The dog of the neighbours barks", memory_id="dog")
    return agent.found(case.question)[0] == f"m{case.first}"


def wrong_in(name: str, kind: str, remembering: Callable[[], Remembering]) -> Sequence[str]:
    """Return the questions of one kind whose first match is another one."""
    cases = [each for each in cases_in(name) if each.kind == kind]
    return [each.question for each in cases if not is_right(remembering(), each)]


@pytest.fixture
def new(wire: Wire) -> Callable[[], Remembering]:
    """A function that makes an agent without memories."""
    return lambda: Remembering(wire.channel)


def test_there_are_cases_of_both_kinds() -> None:
    counts = Counter(each.kind for each in cases_in("development"))
    assert set(counts) == {"changed", "kept"}
    assert counts["changed"] >= 100
    assert counts["kept"] >= 50
    assert len(cases_in("held_out")) == len(cases_in("afterwards")) == 20


def test_a_question_about_the_present_or_the_past_finds_first_what_is_or_was_so(new: Callable[[], Remembering]) -> None:
    assert wrong_in("development", "changed", new) == []


def test_words_of_the_past_about_something_else_change_nothing(new: Callable[[], Remembering]) -> None:
    assert wrong_in("development", "kept", new) == []


def test_cases_that_no_rule_was_written_for_are_mostly_right(new: Callable[[], Remembering]) -> None:
    assert len(wrong_in("held_out", "changed", new)) <= 2
    assert len(wrong_in("held_out", "kept", new)) <= 1
    assert len(wrong_in("afterwards", "changed", new)) <= 1
    assert wrong_in("afterwards", "kept", new) == []


def test_a_match_says_why_it_is_behind_another_one(fresh: Remembering) -> None:
    case = Case("changed", "Where does Ann live?", 2, [(5, "Ann no longer lives in Oslo"), (90, "Ann lives in Bergen")])
    assert is_right(fresh, case)
    first, second, *_ = fresh.recall(case.question).memories
    assert second.match_reason.endswith("; of the past (no longer), behind m2")
    assert "behind" not in first.match_reason
    assert list(second.contradicted_by) == []
