"""Decoding of a text whose encoding may not be known."""

import codecs
import re
from collections.abc import Iterable

from memoryd_server.domain.documents.charset import charset_of, codec_of
from memoryd_server.domain.error import DocumentUnreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf_8"),
    (codecs.BOM_UTF32_LE, "utf_32_le"),
    (codecs.BOM_UTF32_BE, "utf_32_be"),
    (codecs.BOM_UTF16_LE, "utf_16_le"),
    (codecs.BOM_UTF16_BE, "utf_16_be"),
)
"""Byte order marks and their codecs. UTF-32's come before UTF-16's: one of those is a prefix."""

_SAMPLE_BYTES = 256 * 1024
_OF_MAINFRAMES = ["cp037", "cp1026", "cp1140", "cp273", "cp424", "cp500", "cp875"]
"""Encodings of mainframes, which are never guessed: any text with repetitions looks plausible in them."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CONTROL_SHARE_MAX = 0.01
_SAMPLE_LETTERS = 64 * 1024

_WESTERN = "cp1252"
_WESTERN_LETTERS = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "äöüßé",  # German
        "àâæçéèêëîïôœùûüÿ",  # French
        "áéíñóúüçàèïò",  # Spanish, Catalan
        "áâãàçéêíóôõúü",  # Portuguese
        "åäöéüàš",  # Swedish, Finnish
        "æøåéóôòèü",  # Danish, Norwegian
        "áðéíóúýþæöø",  # Icelandic, Faroese
        "àèéìòùî",  # Italian
        "éëïóöüèêáíúû",  # Dutch, Afrikaans, Irish
    )
)
"""The letters outside of ASCII that languages of Western Europe use."""
_SIGNS_IN_WORDS = frozenset("\xad\xb4\xb7\u2013\u2014\u2018\u2019")
_SIGNS = _SIGNS_IN_WORDS | frozenset("\xa0¡¢£¥§¨©ª«®°±²³µ¶º»¼½¾¿\xd7÷\u201a\u2039\u203a“”„†‡•…€™")
_WESTERN_SHARE_MIN = 0.95
_ACCENTED_SHARE_MAX = 0.5
"""Maximum share of letters outside of ASCII. In other alphabets nearly all are."""


def decoded(data: bytes, charset: str = "", hints: Iterable[str] = ()) -> tuple[str, str]:
    """Return the text of bytes, and the name of their encoding.

    It is ``charset`` if that is given; else that of the byte order mark; else UTF-8, or the first of the ``hints``, in
    which the bytes are valid; else windows-1252 if that makes words of a Western language, and the likeliest one
    otherwise. Raises DocumentUnreadable if the result looks binary, or is not in ``charset``.
    """
    text, codec = _given(data, charset) if charset else _found(data, hints)
    sample = text[:_SAMPLE_LETTERS]
    if "\0" in text or len(_CONTROL.findall(sample)) > _CONTROL_SHARE_MAX * len(sample):
        raise DocumentUnreadable("is binary, and of no supported type")
    return text, charset_of(codec)


def _given(data: bytes, charset: str) -> tuple[str, str]:
    codec = codec_of(charset)
    for mark, marked in _MARKS:
        if data.startswith(mark) and marked.startswith(codec):
            return data[len(mark) :].decode(marked, "replace"), codec
    text = _strict(data, codec)
    if text is None:
        raise DocumentUnreadable(f"is not in the character encoding {charset}")
    return text, codec


def _found(data: bytes, hints: Iterable[str]) -> tuple[str, str]:
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace"), codec
    for codec in ("utf_8", *map(codec_of, hints)):
        text = _strict(data, codec)
        if text is not None:
            return text, codec
    if b"\0" in data:
        raise DocumentUnreadable("is binary, and of no supported type")
    western = _strict(data, _WESTERN)
    if western is not None and _is_western(western[:_SAMPLE_LETTERS]):
        return western, _WESTERN
    codec = _likeliest(data)
    return data.decode(codec, "replace"), codec


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec) if codec else None
    except (UnicodeDecodeError, LookupError):
        return None


def _is_western(text: str) -> bool:
    """Return True if a text that was read as windows-1252 has words of a language that is written in it."""
    letters = list(filter(str.isalpha, text))
    accented = [each for each in letters if not each.isascii() and each not in "ªº"]
    if len(accented) > _ACCENTED_SHARE_MAX * len(letters):
        return False
    others = [at for at, each in enumerate(text) if not each.isascii() and (not each.isalpha() or each in "ªº")]
    right = sum(text[at] in _SIGNS and not _is_in_word(text, at) for at in others)
    right += max(sum(map(alphabet.__contains__, accented)) for alphabet in _WESTERN_LETTERS)
    return right >= _WESTERN_SHARE_MIN * (len(accented) + len(others))


def _is_in_word(text: str, at: int) -> bool:
    if text[at] in _SIGNS_IN_WORDS:
        return False
    before, after = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    return after.isalpha() and (before.isalpha() or text[at] in "ªº")


def _likeliest(data: bytes) -> str:
    # Imported here because few texts need it, and it is slow to import.
    import charset_normalizer

    likely = charset_normalizer.from_bytes(data[:_SAMPLE_BYTES], cp_exclusion=_OF_MAINFRAMES).best()
    if likely is None:
        raise DocumentUnreadable("is binary, or in an unknown encoding")
    return likely.encoding
