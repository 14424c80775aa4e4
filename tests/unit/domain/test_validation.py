import json
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField, TooLarge
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX, KEY_BYTES_MAX, REPEATS_MAX, TAGS_MAX, Limits
from memoryd_server.domain.memories.memory_link import LinkType


@pytest.mark.parametrize(
    ("value", "description"),
    [
        ("", "must not be empty"),
        (" ", "must not be blank"),
        ("\u2003\u00a0", "must not be blank"),
        ("\t\n", "must not be blank"),
        ("\u200b", "must not be blank"),
        (" \ufeff\u2060", "must not be blank"),
        ("\U000e0041", "must not be blank"),
        ("a\nb", "must not have control characters"),
        ("a\0", "must not have control characters"),
        ("ü\x9f", "must not have control characters"),
        ("\x7f", "must not have control characters"),
        ("a\u2028b", "must not have control characters"),
        ("a\u2029b", "must not have control characters"),
        ("k" * (KEY_BYTES_MAX + 1), f"must be at most {KEY_BYTES_MAX} bytes"),
        ("ü" * (KEY_BYTES_MAX // 2) + "k", f"must be at most {KEY_BYTES_MAX} bytes"),
        ("\U0001f600" * 257, f"must be at most {KEY_BYTES_MAX} bytes"),
    ],
)
def test_a_key_that_is_not_allowed_is_refused_with_its_field(value: str, description: str) -> None:
    with pytest.raises(InvalidField) as refused:
        validation.key(value, "keys")
    assert (refused.value.field, refused.value.description) == ("keys", description)
    assert refused.value.metadata == {"field": "keys"}
    with pytest.raises(InvalidField) as refused:
        validation.keys(["k", value])
    assert (refused.value.field, refused.value.description) == ("keys", description)


@pytest.mark.parametrize(
    "value", ["k", " k ", "k/ü", "\u00adsoft", "\u202eright", "ü" * (KEY_BYTES_MAX // 2), "k" * KEY_BYTES_MAX]
)
def test_a_key_is_kept_as_it_is(value: str) -> None:
    assert validation.key(value) == value
    assert validation.keys(["first", value]) == ["first", value]


def test_an_agent_id_has_its_own_length() -> None:
    assert validation.agent_id("a" * AGENT_ID_BYTES_MAX)
    assert validation.agent_id("Zoë") == "Zoë"
    with pytest.raises(InvalidField, match="agent_id"):
        validation.agent_id("a" * (AGENT_ID_BYTES_MAX + 1))
    with pytest.raises(InvalidField, match=r"must not have \*"):
        validation.agent_id("team-*")


def test_a_text_that_may_be_empty_is_otherwise_as_strict() -> None:
    assert validation.optional_text("f", "", 3) == ""
    assert validation.optional_text("f", "abc", 3) == "abc"
    assert validation.optional_text("f", " ", 3) == " "
    with pytest.raises(InvalidField):
        validation.optional_text("f", "abcd", 3)
    with pytest.raises(InvalidField):
        validation.optional_text("f", "a\n", 3)


@pytest.mark.parametrize(
    "value", ["1", '"ü"', ' {"a" : [1, 2.50e1, null]} ', '{"a":1,"a":2}', '"\\ud83d\\ude00"', "-0"]
)
def test_json_is_kept_byte_for_byte(value: str) -> None:
    assert validation.json_text("value_json", value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a':1}",
        "nan",
        "Infinity",
        "01",
        "1 2",
        '"\n"',
        '"\\x"',
        "tru",
        "\ufeff1",
        "+1",
        ".5",
        "1.",
    ],
)
def test_what_is_not_json_is_refused(value: str) -> None:
    with pytest.raises(InvalidField, match="value_json: must be JSON"):
        validation.json_text("value_json", value)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("", "it is empty"),
        ("nan", "a word or an escape that JSON does not know"),
        ('"\\ud800"', "a word or an escape that JSON does not know"),
        ('{"a": [1', "it ends too early"),
        ("[1,]", r"trailing comma in array \(byte 3\)"),
    ],
)
def test_what_is_not_json_is_refused_with_its_fault(value: str, fault: str) -> None:
    with pytest.raises(InvalidField, match=f"must be JSON: .*{fault}"):
        validation.json_text("value_json", value)


def test_json_is_given_as_python_has_it() -> None:
    decoder: msgspec.json.Decoder[object] = msgspec.json.Decoder()
    text = '{"a": [1, 2.5, "ü", true, null]}'
    assert validation.decoded(decoder, "result_json", text) == {"a": [1, 2.5, "ü", True, None]}
    with pytest.raises(InvalidField, match="result_json: must be JSON"):
        validation.decoded(decoder, "result_json", "{")


def test_json_of_any_depth_is_taken_or_refused_but_nothing_else() -> None:
    for depth in (100, 1_000, 100_000):
        try:
            validation.json_text("value_json", "[" * depth + "]" * depth)
        except InvalidField:
            assert depth > 100


JSON_LIKE = st.text(alphabet='{}[]",:\\0123456789.eE+-truefalsn \n\tu\x01\u00fc', max_size=12)


@settings(max_examples=1_000)
@given(JSON_LIKE)
def test_what_is_taken_as_json_is_what_others_can_read(value: str) -> None:
    try:
        validation.json_text("value_json", value)
    except InvalidField:
        return
    json.loads(value, parse_constant=pytest.fail)


@pytest.mark.whole
@settings(max_examples=200)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(alphabet=st.characters(codec="utf-8")),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet=st.characters(codec="utf-8")), inner),
        max_leaves=8,
    ),
    st.booleans(),
)
def test_what_others_write_as_json_is_taken(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert validation.json_text("value_json", text) == text


def test_a_lone_surrogate_is_not_json() -> None:
    with pytest.raises(InvalidField):
        validation.json_text("value_json", '"\ud800"')


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), float("-inf")])
def test_an_importance_is_from_0_to_1(value: float) -> None:
    assert validation.importance("importance", 0.0) == 0.0
    assert validation.importance("importance", 1.0) == 1.0
    with pytest.raises(InvalidField, match="importance: must be from 0 to 1"):
        validation.importance("importance", value)


def test_tags_lose_their_repeats_and_keep_their_order() -> None:
    assert validation.tags("tags", ["b", "a", "b"]) == ("b", "a")
    assert len(validation.tags("tags", [f"t{n % TAGS_MAX}" for n in range(200)])) == TAGS_MAX


@pytest.mark.parametrize("values", [["a", ""], [f"t{n}" for n in range(TAGS_MAX + 1)], ["t" * 257]])
def test_tags_that_are_not_allowed_are_refused(values: list[str]) -> None:
    with pytest.raises(InvalidField, match="tags"):
        validation.tags("tags", values)


def test_a_member_of_an_enum_is_known_by_its_number() -> None:
    assert validation.known("f", 1, LinkType) is LinkType.RELATED
    for number in (0, -1, 2**31 - 1):
        with pytest.raises(InvalidField, match="f: must be a known value"):
            validation.known("f", number, LinkType)


def test_members_that_are_named_many_times_are_looked_at_once() -> None:
    with patch.object(validation, "known", wraps=validation.known) as known:
        assert validation.all_known("f", [1, 2] * 1_000, LinkType) == {LinkType.RELATED, LinkType.DERIVED_FROM}
    assert known.call_count == 2


def test_a_number_is_within_both_ends() -> None:
    assert [validation.within("f", each, 1, 3) for each in (1, 3)] == [1, 3]
    for each in (0, 4):
        with pytest.raises(InvalidField, match="f: must be from 1 to 3 ms"):
            validation.within("f", each, 1, 3, " ms")


def test_an_entrys_size_is_in_bytes_and_its_value_is_limited() -> None:
    limits = Limits(entry_bytes=4)
    assert validation.entry_size("ü", '"ü"', ("{}",), limits) == 8
    assert validation.entry_size("k", "1234", ("", ""), limits) == 5
    assert validation.entry_size("k", "1234", ("str", "a", "ü"), limits) == 11
    with pytest.raises(TooLarge) as refused:
        validation.entry_size("k", '"üü"', (), limits)
    assert refused.value.metadata == {"limit": "entry_bytes", "value": "4"}


def test_repeats_are_dropped_unless_there_are_very_many() -> None:
    assert validation.distinct("f", ["b", "a", "b"]) == ["b", "a"]
    assert validation.tags("f", ["a"] * REPEATS_MAX) == ("a",)
    with pytest.raises(InvalidField, match="repeats included"):
        validation.tags("f", ["a"] * (REPEATS_MAX + 1))


@pytest.mark.parametrize("value", ["", " ", "\n\t\u00a0\u2003"])
def test_a_content_of_nothing_but_white_space_is_refused(value: str) -> None:
    with pytest.raises(InvalidField):
        validation.content("content", value, "note_bytes", 10)


def test_a_content_is_kept_as_it_is_up_to_its_limit() -> None:
    assert validation.content("content", " a\n", "note_bytes", 3) == " a\n"
    with pytest.raises(TooLarge):
        validation.content("content", "\u00e4\u00e4", "note_bytes", 3)
