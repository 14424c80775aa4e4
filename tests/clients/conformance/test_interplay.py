"""All languages at work on one agent at the same time."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from google.protobuf.duration_pb2 import Duration
from tests.clients.conformance import journal
from tests.clients.language import Language
from tests.clients.program import Program
from tests.daemon import Daemon
from tests.integration.wire import Wire

ROUNDS = 10
UPDATES_EACH = 50
WAIT_S = 30.0
MEBIBYTE = 1 << 20

VALUES = {
    "unicode": json.dumps("Ǽ naïve 日本語 🧠👩‍👩‍👧 عربى \u2028 é \u00a0 \U0010ffff", ensure_ascii=False),
    "escapes": r'"\u0000 \u001f \" \\ \/ \b\f\n\r\t \ud83e\udde0"',
    "integers": "[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993,0,-1]",
    "numbers": "[0.1, 1e2, -0.0, 1.0, 5E-324, 1.7976931348623157e308]",
    "nested": "[" * 90 + "{}" + "]" * 90,
    "spaces and order": '{ "b" : 1,\n\t"a":[ ] , "":null }',
    "literals": "[null,true,false]",
    "large": '"' + "é" * (MEBIBYTE // 2 - 1) + '"',
}


@pytest.fixture(scope="module")
def programs(languages: list[Language], shared_daemon: Daemon) -> Iterator[list[Program]]:
    """A program of each language."""
    with ExitStack() as stack:
        yield [stack.enter_context(Program(language, shared_daemon.address)) for language in languages]


def all_at_once(programs: list[Program], do: str, **fields: object) -> list[dict[str, object]]:
    for program in programs:
        program.begin(do, **fields)
    return [program.end() for program in programs]


@pytest.mark.whole
def test_a_contended_get_or_set_runs_one_factory(programs: list[Program], wire: Wire) -> None:
    agent = wire.agent()
    for number in range(ROUNDS):
        key = f"key-{number}"
        for index, program in enumerate(programs):
            program.begin("get_or_set", agent=agent.id, key=key, value_json=f'{{"by":{index}}}', factory_s=0.1)
        answers = [program.end() for program in programs]
        (maker,) = (index for index, answer in enumerate(answers) if answer["made"])
        assert [json.loads(answer["value_json"]) for answer in answers] == [{"by": maker}] * len(programs)
        assert agent.value(key) == {"by": maker}


def test_when_the_maker_dies_another_takes_over_after_its_lease(
    language: Language, programs: list[Program], start: Callable[..., Program], shared_daemon: Daemon, wire: Wire
) -> None:
    agent = wire.agent()
    victim = start(language, shared_daemon.address)
    victim.begin("get_or_set", agent=agent.id, key="key", value_json="1", factory_s=3600.0, lease_s=0.5)
    while token := agent.reserve("key", wait_duration=Duration()).reservation_token:
        agent.release("key", token)
    victim.kill()
    answers = all_at_once(programs, "get_or_set", agent=agent.id, key="key", value_json="2")
    assert sum(bool(answer["made"]) for answer in answers) == 1
    assert agent.value("key") == 2


@pytest.mark.faults
def test_a_factory_is_given_time_beyond_its_lease(programs: list[Program], wire: Wire) -> None:
    agent = wire.agent()
    fields = {"agent": agent.id, "key": "key", "value_json": "1", "factory_s": 7.0, "lease_s": 3.0}
    assert sum(bool(answer["made"]) for answer in all_at_once(programs, "get_or_set", **fields)) == 1


@pytest.mark.parametrize("way", [{}, {"transaction": True}], ids=["update", "transaction"])
def test_compare_and_set_loses_nothing(programs: list[Program], wire: Wire, way: dict[str, bool]) -> None:
    agent = wire.agent()
    for program in programs:
        program.ask("watch", name="compare-and-set", agent=agent.id)
    all_at_once(programs, "update", agent=agent.id, key="count", count=UPDATES_EACH, **way)
    total = UPDATES_EACH * len(programs)
    assert agent.value("count") == total
    seen = all_at_once(programs, "watched", name="compare-and-set", count=total, timeout_s=WAIT_S)
    happened = journal.events(wire, agent.id)
    assert [event["revision"] for event in happened] == list(range(1, total + 1))
    assert [each["events"] for each in seen] == [happened] * len(programs)
    all_at_once(programs, "unwatch", name="compare-and-set")


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_returned_byte_for_byte(programs: list[Program], wire: Wire, name: str) -> None:
    agent, value = wire.agent(), VALUES[name]
    for writer in programs:
        writer.ask("set", agent=agent.id, key="key", value_json=value)
        for answer in all_at_once(programs, "get", agent=agent.id, key="key"):
            assert answer == {"found": True, "value_json": value}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_the_same_as_a_languages_own(programs: list[Program], wire: Wire, name: str) -> None:
    agent, value = wire.agent(), VALUES[name]
    for writer in programs:
        writer.ask("set_native", agent=agent.id, key="key", value_json=value)
        assert agent.value("key") == json.loads(value), writer.language.title
        for reader in programs:
            answer = reader.ask("get_native", agent=agent.id, key="key")
            assert answer["found"]
            assert json.loads(answer["value_json"]) == json.loads(value), (writer.language.title, reader.language.title)
