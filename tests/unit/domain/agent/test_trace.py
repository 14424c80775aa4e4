"""Erasure of the content of single records."""

from typing import Any

import msgspec
import pytest

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.trace import without_traces
from memoryd_server.domain.agents.agent import AGENT
from memoryd_server.domain.conversations.conversation import MESSAGE
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.documents.document import DOCUMENT_CHUNK
from memoryd_server.domain.entities.entity import EntityWindow
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.plans.plan import Plan, PlanNote, PlanStatus, PlanStep, PlanStepStatus

OWNED = {MESSAGE.name, DOCUMENT_CHUNK.name, DUE_INGESTIONS.name, ERASURES.name, AGENT.name}
"""The parts whose records have no user of their own: what they belong to does, or they are of no user."""


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_records_of_each_part_have_a_user_or_belong_to_one_that_has(part: Any) -> None:
    names = {name for record in part.records.values() for name in record.__struct_fields__}
    if part.name == "plan":
        names = set(Plan.__struct_fields__)
    assert ("user_id" in names) is (part.name not in OWNED)


COLLECTED = [each for part in PARTS for each in part.records.values() if issubclass(each, Collected)]


@pytest.mark.parametrize("record_type", COLLECTED, ids=lambda each: each.__name__)
def test_an_erased_record_keeps_its_group_and_key_and_loses_all_other_texts(record_type: Any) -> None:
    record = msgspec.convert([record_type.__struct_config__.tag, *_filled(record_type)], record_type)
    erased = without_traces(record)
    assert (erased.group, erased.key, erased.create_time) == (record.group, record.key, record.create_time)
    assert getattr(erased, "user_id", "") == ""
    kept = record_type.kept_when_erased
    for name in record_type.__struct_fields__:
        value = getattr(erased, name)
        if name not in kept and isinstance(value, str | bytes | tuple):
            assert not value, name


def _filled(record_type: Any) -> list[Any]:
    """Return a value for each field of a record type: a text of its own for each text."""
    schema = msgspec.inspect.type_info(record_type)
    return [_value_of(field.type, field.name) for field in schema.fields]  # type: ignore[attr-defined]


def _value_of(kind: Any, name: str) -> Any:
    match kind:
        case msgspec.inspect.StrType():
            return f"a {name}"
        case msgspec.inspect.IntType():
            return 7
        case msgspec.inspect.FloatType():
            return 0.5
        case msgspec.inspect.BytesType():
            return b"Ynl0ZXM="
        case msgspec.inspect.EnumType(cls=cls):
            return next(iter(cls))
        case msgspec.inspect.VarTupleType(item_type=item):
            return [_value_of(item, name)]
        case msgspec.inspect.StructType(cls=cls):
            tag = [cls.__struct_config__.tag] if cls.__struct_config__.tag else []
            return [*tag, *_filled(cls)]
        case msgspec.inspect.UnionType(types=types):
            return _value_of(types[0], name)
        case _:
            return None


def test_a_plan_keeps_what_its_records_are_put_together_by() -> None:
    step = PlanStep("1", "Call Zoe", PlanStepStatus.PENDING, "soon", 1, 2, 3)
    plan = Plan(
        "p",
        "c",
        "zoe",
        "goal",
        (step,),
        (PlanNote("n", 1),),
        ("t",),
        "{}",
        PlanStatus.IN_PROGRESS,
        1,
        2,
        None,
        2,
        2,
        3,
        9,
    )
    assert without_traces(plan) == Plan(
        "p", "c", "", "", (), (), (), "", PlanStatus.IN_PROGRESS, 1, 2, None, 2, 2, 3, 0
    )
    assert without_traces(step) == PlanStep("1", "", PlanStepStatus.PENDING, "", 1, 2, 3)


def test_further_fields_are_kept_on_request() -> None:
    window = EntityWindow("c", "zoe")
    assert (without_traces(window).user_id, without_traces(window, "user_id").user_id) == ("", "zoe")
