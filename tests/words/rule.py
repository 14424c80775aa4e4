"""The rules of docs/style.md that a program can check, each with the words to use instead."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.words.text import Text


@dataclass(frozen=True)
class Finding:
    """A place where a text breaks a rule. ``advice`` says what to write instead."""

    line: int
    found: str
    advice: str


@dataclass(frozen=True)
class _Idiom:
    """Words that have a plainer equivalent. ``regular`` matches where their use is ordinary English."""

    words: re.Pattern[str]
    advice: str
    regular: re.Pattern[str] | None = None


_SPACE = r"\s+"


def _pattern(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b".replace(" ", _SPACE), re.IGNORECASE)


_IDIOMS = (
    _Idiom(
        _pattern("tell", "tells", "telling", "told"),
        "return, emit, notify, render, encode, report or infer",
        # In the sense of "distinguish" the word is regular.
        _pattern(
            r"t(?:ell|ells|elling|old)(?: \S+){0,4} apart",
            r"tell(?: \S+){1,5} from",
            "can(?:not)? tell",
            "could(?: not)? tell",
        ),
    ),
    _Idiom(_pattern("anew"), "again, afresh or new"),
    _Idiom(
        _pattern("so many", "so few", "(?:after|for|at most|at least|than|below|than) so (?:long|much|often)"),
        "name the number: this many, N, the limit",
        # A consequence: so many rows that a table is of no use.
        _pattern(r"so (?:many|few|long|much|often)(?: \S+){0,4} that"),
    ),
    _Idiom(_pattern("whoever", "whomever", "whosoever"), "name the actor: the caller, a client, a reader"),
    _Idiom(_pattern("aside"), "apart, separately, on a thread", _pattern("aside from")),
    _Idiom(_pattern("lets? go", "letting go"), "release, free, drop or close"),
    _Idiom(_pattern("what asks", "who asks"), "name it: the client, the caller"),
    _Idiom(_pattern("the least (?:that|which|of)"), "the minimum"),
    _Idiom(_pattern("how much of what"), "the share of"),
    _Idiom(_pattern("what (?:comes|came|becomes|became) of"), "the result of, the outcome of"),
    _Idiom(_pattern("(?:is|are) whether"), "say what it does when true", _pattern("question is whether")),
    _Idiom(_pattern("ends? with [0-9]+"), "exits with status"),
)

_NAMED = _pattern("tell", "tells", "telling", "told", "anew", "aside", "whoever")

_CLAUSE = _pattern("what", "whether", "how", "which", "who", "whom", "whose", "where", "when", "why")
# At the start, or with an object: "answers are cached" is a noun.
_ANSWER = re.compile(
    r"\AAnswers?\b|[;,:.]\s+(?:and\s+)?[Aa]nswers\s+(?:`|(?:the|an?|its?|them|that|none|nothing|whether|how|what|with)\b)"
)

# Whether a file may break a rule, by its source alone: a gap may hold the marks of comments, a name has no boundaries.
_SUSPECT = re.compile(
    "|".join(
        [
            *(idiom.words.pattern.replace(_SPACE, r"[\s#/*-]+") for idiom in _IDIOMS),
            "tell|told|anew|aside|whoever|answers?",
            rf"[\"']\s*{_CLAUSE.pattern}",
        ]
    ),
    re.IGNORECASE,
)


def may_break_a_rule(source: str) -> bool:
    """Return False if no text in the source of a file can break a rule."""
    return _SUSPECT.search(source) is not None


def findings_of(text: Text) -> Iterator[Finding]:
    """Yield where a text breaks a rule."""
    if text.kind == "name":
        if found := _NAMED.search(text.content):
            yield Finding(text.line, text.content, f"name it in the field's terms, without {found[0]!r}")
        return
    yield from _idioms(text)
    if text.kind == "docstring":
        yield from _docstring(text)


def _idioms(text: Text) -> Iterator[Finding]:
    for idiom in _IDIOMS:
        spared = [found.span() for found in idiom.regular.finditer(text.content)] if idiom.regular else []
        for found in idiom.words.finditer(text.content):
            if not any(start <= found.start() < end for start, end in spared):
                yield Finding(text.line_of(found.start()), " ".join(found[0].split()), idiom.advice)


def _docstring(text: Text) -> Iterator[Finding]:
    first_word = _CLAUSE.match(text.content.lstrip())
    if first_word:
        yield Finding(text.line, f"{first_word[0]} …", "a docstring is a verb phrase or a noun, not a clause")
    if answer := _ANSWER.search(text.content):
        yield Finding(text.line_of(answer.start()), answer[0].lstrip(";,:. \n"), "a function returns")
