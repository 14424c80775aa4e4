"""The schema of a function, and the errors for arguments that do not fit it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import pytest

from memoryd.protocol.tool_schema import BadArguments, Between, arguments_for, schema_of

Kind = Literal["fact", "event"]


def sample(
    here: object,
    text: Annotated[str, "What."],
    count: Annotated[int, "How many.", Between(1, 10)],
    share: Annotated[float, "How much.", Between(0, 1)] = 0.5,
    kind: Annotated[Kind, "Which."] | None = None,
    tags: Annotated[Sequence[str], "Labels."] = (),
    kinds: Annotated[Sequence[Kind], "Some."] = (),
    loud: Annotated[bool, "Whether."] = False,
) -> None: ...


SCHEMA = schema_of(sample)
LEAST: dict[str, Any] = {"text": "x", "count": 1}


def test_a_schema_says_all_that_the_signature_says() -> None:
    assert SCHEMA == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What."},
            "count": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 10},
            "share": {"type": "number", "description": "How much.", "minimum": 0, "maximum": 1, "default": 0.5},
            "kind": {"type": "string", "enum": ["fact", "event"], "description": "Which."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Labels.", "default": []},
            "kinds": {
                "type": "array",
                "items": {"type": "string", "enum": ["fact", "event"]},
                "description": "Some.",
                "default": [],
            },
            "loud": {"type": "boolean", "description": "Whether.", "default": False},
        },
        "required": ["text", "count"],
        "additionalProperties": False,
    }


def test_what_fits_is_taken_as_it_is() -> None:
    given = {**LEAST, "share": 1, "kind": "fact", "tags": ["a"], "kinds": ["event"], "loud": True}
    assert arguments_for(SCHEMA, given) == given
    assert arguments_for(SCHEMA, '{"text": "ä", "count": 2.0}') == {"text": "ä", "count": 2}
    assert isinstance(arguments_for(SCHEMA, {"text": "", "count": 2.0})["count"], int)


def test_null_is_left_out_for_an_optional_argument() -> None:
    assert arguments_for(SCHEMA, {**LEAST, "kind": None, "tags": None}) == LEAST


@pytest.mark.parametrize("nothing", [None, "", " ", "{}", {}])
def test_an_empty_value_means_no_arguments(nothing: Any) -> None:
    assert arguments_for({"properties": {}, "required": []}, nothing) == {}
    with pytest.raises(BadArguments, match="'text' is missing; 'count' is missing"):
        arguments_for(SCHEMA, nothing)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": 1}, "'text' must be a text, not 1"),
        ({"text": None}, "'text' must be a text, not null"),
        ({"text": "\ud800"}, "'text' contains an invalid character"),
        ({"text": ["x" * 100]}, "…. The arguments"),
        ({"count": "1"}, "'count' must be an integer from 1 to 10, not \"1\""),
        ({"count": True}, "'count' must be an integer from 1 to 10, not true"),
        ({"count": 0}, "not 0"),
        ({"count": 11}, "not 11"),
        ({"count": 1.5}, "not 1.5"),
        ({"count": 10**400}, "must be an integer"),
        ({"count": 10**5000}, "not a value that is too large"),
        ({"share": float("inf")}, "not Infinity"),
        ({"share": float("nan")}, "'share' must be a number from 0 to 1, not NaN"),
        ({"share": -0.1}, "not -0.1"),
        ({"kind": "Fact"}, "'kind' must be one of fact, event, not \"Fact\""),
        ({"tags": "a"}, "'tags' must be a list, each a text, not \"a\""),
        ({"tags": [1]}, "'tags' must be a text, not 1"),
        ({"kinds": ["fact", "x"]}, "'kinds' must be one of fact, event, not \"x\""),
        ({"loud": 1}, "'loud' must be true or false, not 1"),
        ({"txt": ""}, "there is no argument 'txt'"),
    ],
)
def test_a_value_that_does_not_fit_is_reported(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArguments) as refused:
        arguments_for(SCHEMA, {**LEAST, **given})
    assert message in str(refused.value)
    assert "The arguments are text (a text), count (an integer from 1 to 10), share (" in str(refused.value)


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, '{"text": "x', "nope", "[]", "3", '"x"', '{"count": ' + "9" * 5000]
)
def test_text_that_is_no_json_object_is_reported(text: str) -> None:
    with pytest.raises(BadArguments, match="the arguments are not"):
        arguments_for(SCHEMA, text)


def test_all_errors_are_reported_at_once() -> None:
    with pytest.raises(BadArguments, match=r"no argument 'a'; 'text' is missing; 'count' must be"):
        arguments_for(SCHEMA, {"a": 1, "count": "x"})
