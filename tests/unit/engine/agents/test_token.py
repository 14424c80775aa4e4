import base64
import hashlib
import struct
from collections.abc import Callable

import msgspec
import pytest

from memoryd_server.domain.error import ForeignResumeToken, InvalidPageToken, InvalidResumeToken
from memoryd_server.domain.limit import SHARDS_MAX, TOKEN_BYTES_MAX
from memoryd_server.engine.agents.token import (
    PagePoint,
    ResumePoint,
    ShardPoint,
    decode_event_page,
    decode_page,
    decode_resume,
    decode_text_page,
    digest,
    encode_event_page,
    encode_page,
    encode_resume,
    encode_text_page,
)

POINT = ResumePoint((ShardPoint(0, 2**40, 77), ShardPoint(3, 1)))
LISTING = digest("a listing")


def changed(token: str) -> list[str]:
    """Return the token truncated at every character, with every character changed, and with a suffix."""
    cut = [token[:length] for length in range(len(token))]
    other = [
        token[:index] + each + token[index + 1 :]
        for index in range(len(token))
        for each in "AB"
        if each != token[index]
    ]
    return [*cut, *other, token + "A", token + "====", token + "!", " " + token, "ü", "A" * 300]


def check_damage(token: str, decode: Callable[[str], object], refusal: type[Exception]) -> None:
    """Check that damaged tokens are refused, also where only the unused bits of the last base64 character differ."""
    decode(token)
    for damaged in changed(token):
        with pytest.raises(refusal):
            decode(damaged)


def test_a_resume_token_is_accepted_only_by_its_store() -> None:
    token = encode_resume("store", POINT)
    assert decode_resume("store", token) == POINT
    with pytest.raises(ForeignResumeToken):
        decode_resume("another store", token)


def test_a_damaged_resume_token_is_refused() -> None:
    check_damage(encode_resume("store", POINT), lambda token: decode_resume("store", token), InvalidResumeToken)


def test_a_damaged_page_token_is_refused() -> None:
    check_damage(encode_page(LISTING, PagePoint(7, 9)), lambda token: decode_page(LISTING, token), InvalidPageToken)


def test_a_damaged_text_page_token_is_refused() -> None:
    check_damage(encode_text_page(LISTING, "agent-ü"), lambda token: decode_text_page(LISTING, token), InvalidPageToken)


def test_a_damaged_token_of_events_is_refused() -> None:
    check_damage(encode_event_page(LISTING, POINT), lambda token: decode_event_page(LISTING, token), InvalidPageToken)


def test_a_page_token_belongs_to_one_listing() -> None:
    token = encode_page(LISTING, PagePoint(7, 9))
    assert decode_page(LISTING, token) == PagePoint(7, 9)
    with pytest.raises(InvalidPageToken):
        decode_page(digest("another"), token)
    with pytest.raises(InvalidPageToken):
        decode_text_page(digest("another"), encode_text_page(LISTING, "a"))
    with pytest.raises(InvalidPageToken):
        decode_event_page(digest("another"), encode_event_page(LISTING, POINT))
    assert decode_event_page(LISTING, encode_event_page(LISTING, POINT)) == POINT


def test_a_token_of_another_kind_is_refused() -> None:
    resume, page, text, events = (
        encode_resume("s", POINT),
        encode_page(LISTING, PagePoint(1, 2)),
        encode_text_page(LISTING, "a"),
        encode_event_page(LISTING, POINT),
    )
    for token in (page, text, events):
        with pytest.raises(InvalidResumeToken):
            decode_resume("s", token)
    for token in (resume, text, events):
        with pytest.raises(InvalidPageToken):
            decode_page(LISTING, token)
    for token in (resume, page, events):
        with pytest.raises(InvalidPageToken):
            decode_text_page(LISTING, token)
    for token in (resume, page, text):
        with pytest.raises(InvalidPageToken):
            decode_event_page(LISTING, token)


def test_a_digest_depends_on_the_boundaries_of_its_texts() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", "c") == digest("ab", "c")


def test_a_resume_token_of_the_maximum_of_shards_fits_the_limit() -> None:
    shards = tuple(ShardPoint(shard, 2**40, 512, 2**32 - 1) for shard in range(SHARDS_MAX))
    assert len(encode_resume("s" * 32, ResumePoint(shards))) <= TOKEN_BYTES_MAX


def forged(body: bytes) -> str:
    """Return a token as anybody can make it who knows the format."""
    checksum = hashlib.blake2b(body, digest_size=6, key=b"memoryd").digest()
    return base64.urlsafe_b64encode(body + checksum).decode().rstrip("=")


@pytest.mark.parametrize("number", [-1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("place", range(4))
def test_a_forged_number_that_no_store_has_is_refused(number: int, place: int) -> None:
    point = [0, 1, 0, 0]
    point[place] = number
    packed = msgspec.msgpack.encode([[point]])
    with pytest.raises(InvalidResumeToken):
        decode_resume("s", forged(b"r" + digest("s") + packed))
    with pytest.raises(InvalidPageToken):
        decode_event_page(LISTING, forged(b"e" + LISTING + packed))


def test_a_forged_page_token_with_a_number_that_no_response_has_is_refused() -> None:
    for numbers in ((2**63, 0), (0, 2**64 - 1)):
        with pytest.raises(InvalidPageToken):
            decode_page(LISTING, forged(struct.pack(">c8sQQ", b"p", LISTING, *numbers)))


def test_a_forged_text_page_token_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(InvalidPageToken):
        decode_text_page(LISTING, forged(b"t" + LISTING + b"\xff"))
