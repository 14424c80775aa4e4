from pathlib import Path

import pytest
from tests.benchmarks.ingestion.__main__ import SAMPLE
from tests.benchmarks.ingestion.sample import Judgement, Message, Statement, agreement, compared, read_sample

MOVED = Statement("I moved to Oslo last month", "event")
EATS = Statement("I don't eat meat", "preference")
MESSAGE = Message("user", "I moved to Oslo last month, and I don't eat meat.", "Ann", (MOVED, EATS))


def judged(*made: tuple[str, str]) -> list[Judgement]:
    return list(compared(0, MESSAGE, made))


def test_a_memory_is_right_if_it_says_what_was_marked() -> None:
    moved, missed = judged(("Ann: I moved to Oslo", "event"))
    assert moved.is_right
    assert moved.statement == MOVED.text
    assert not missed.is_right
    assert (missed.memory, missed.statement, missed.kind) == (None, EATS.text, "preference")


def test_each_statement_agrees_with_one_memory() -> None:
    first, second, *_ = judged(("Ann: I don't eat meat", "fact"), ("Ann: I don't eat meat", "fact"))
    assert (first.is_right, first.kind) == (True, "preference")
    assert (second.is_right, second.statement, second.kind) == (False, None, "fact")


def test_a_lost_negation_is_noticed() -> None:
    wrong, *_ = judged(("Ann: I eat meat", "fact"))
    assert wrong.loses_negation
    right, *_ = judged(("Ann: I don't eat meat", "fact"))
    assert not right.loses_negation


def test_words_are_compared_without_their_case() -> None:
    assert agreement("I like tea", "i like Tea") == 1
    assert agreement("I like tea", "You drink water") == 0


def test_a_statement_is_a_part_of_its_message(tmp_path: Path) -> None:
    path = tmp_path / "sample.json"
    text = '{"conversations": [{"title": "t", "messages": [{"role": "user", "text": "a", "statements": [%s]}]}]}'
    path.write_text(text % '{"text": "b", "kind": "fact"}')
    with pytest.raises(ValueError, match="no part"):
        read_sample(path)


def test_the_sample_has_messages_of_which_nothing_is_to_be_remembered() -> None:
    messages = [each for talk in read_sample(SAMPLE) for each in talk.messages if each.role == "user"]
    assert sum(not each.statements for each in messages) > sum(bool(each.statements) for each in messages)
