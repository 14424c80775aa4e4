import hashlib
import json
import random

from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.mutation import mutated

from memoryd_server.models.endpoint.client import AnswerLost
from memoryd_server.models.proposing.answer import INSTRUCTION, PROMPT_VERSION, SCHEMA, answer_of


def test_every_change_of_the_prompt_has_a_version_of_its_own() -> None:
    written = hashlib.sha256(json.dumps([INSTRUCTION, SCHEMA]).encode()).hexdigest()[:16]
    # If this fails, raise PROMPT_VERSION, and write both here.
    assert (PROMPT_VERSION, written) == (1, "d75b5cf61320d698")


def test_the_schema_can_be_used_in_strict_mode() -> None:
    def check(schema: dict[str, object]) -> None:
        if schema["type"] == "object":
            properties = schema["properties"]
            assert isinstance(properties, dict)
            assert (schema["additionalProperties"], schema["required"]) == (False, list(properties))
            for each in properties.values():
                check(each)
        elif schema["type"] == "array":
            items = schema["items"]
            assert isinstance(items, dict)
            check(items)

    check(SCHEMA)


def test_what_an_endpoint_charges_is_taken_only_if_it_is_a_plausible_number() -> None:
    def charged(usage: object) -> int | None:
        choices = [{"message": {"content": '{"proposals": []}'}}]
        return answer_of(json.dumps({"choices": choices, "usage": usage}).encode()).tokens

    assert charged({"total_tokens": 7}) == 7
    for usage in (
        None,
        {},
        [],
        7,
        {"total_tokens": None},
        *({"total_tokens": each} for each in (0, -7, 1.5, True, 10**9, 10**40)),
    ):
        assert charged(usage) is None


CONTENT = json.dumps(
    {"proposals": [{"number": 1, "evidence": "I love tea.", "text": "I love tea", "kind": "fact"}] * 3}
)


@given(st.integers(0), st.booleans())
def test_a_damaged_response_is_lost_or_has_less_in_it(seed: int, in_content: bool) -> None:
    chance = random.Random(seed)
    content = mutated(CONTENT.encode(), chance).decode(errors="replace") if in_content else CONTENT
    body = json.dumps({"choices": [{"message": {"content": content}}], "usage": {"total_tokens": 7}}).encode()
    try:
        answer = answer_of(body if in_content else mutated(body, chance))
    except AnswerLost:
        assert not in_content
        return
    assert answer.tokens is None or answer.tokens > 0
    assert answer.is_usable or not answer.suggestions
