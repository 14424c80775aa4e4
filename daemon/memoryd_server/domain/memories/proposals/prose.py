"""The sentences of a message that are in its own author's words: no quotation, code, list or rendered record."""

import re
from collections.abc import Iterator

from memoryd_server.domain.memories.kinship.wording import divided

READ_CHARACTERS_MAX = 4_000
"""Maximum characters of a message that is read: a longer one is a pasted text, not something that its author states."""
SENTENCE_CHARACTERS_MAX = 1_000
"""Maximum characters of a sentence: a longer one is no evidence that a person would read."""

_ENCLOSED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"
    r"|\[(?P<frame>[A-Z][A-Z_ ]*)\].*?(?:\[/?(?:END_)?(?P=frame)\]|\Z)"
    r"|<(?P<tag>[A-Za-z][\w-]*)[^<>\n]*>.*?(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
_LINE_OF_OTHERS = re.compile(
    r"\s*(?:[>|#*+\u2022\u2013\u2014-]|\d+[.)]|\[|\{|"
    r"(?:user|human|assistant|system|developer|tool|ai|bot|model|memory|note|fact|context)\s*\d*\s*[:=(])",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r".{0,200}:\s*")
_QUOTED = re.compile(r"[\"\u201c\u201d]")
_QUOTED_OTHERWISE = re.compile(r"[\u201e\u00ab\u00bb\u2039\u203a]|(?:^|\s)['\u2018](?=\w)")
_TABULAR = re.compile(r"\S\s{5}")
"""Spaces of a table, or of a text that is to take long to read."""
_AFTER_NUMBER = re.compile(
    r"(?<=\d\.)\s+(?=(?:I|I['\u2019]\w+|My|We|Our|The|It|This|That|You|He|She|They|What|How|Where|When|Which|Who|Why|Can|Could|"
    r"Do|Does|Is|Are|Should|Would|Any|And|But|So|Please|Thanks|Thank|Hi|Ok|Okay|No|Yes)\b)"
)
"""The end of a sentence that ends with a number, which may be an ordinal elsewhere."""
_SPOKEN = re.compile(r"^[ \t]*[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)?: \S", re.MULTILINE)
_REWORKED = re.compile(
    r"\b(?:translat|proofread|paraphras|rephras|rewrit|reword|summari[sz])\w*\b"
    r"|\b(?:correct|fix|improve|check|edit|polish|shorten|finish|continue|complete) (?:\w+ )?(?:this|these|my|the "
    r"following|the) (?:\w+ )?(?:text|paragraph|sentences?|essay|letter|grammar|spelling|translation|mail|email|"
    r"message|draft|bio|story|poem|dialogue|speech|post|cover letter)\b"
    r"|\b(?:my|our) (?:bio|cover letter|essay|speech|vows|toast|personal statement|dating profile|abstract|blog post|"
    r"caption|tweet|paragraph)\b"
    r"|(?<!i )(?<!we )\b(?:write|invent|make up|compose|continue)\b[^.!?\n]{0,60}\b(?:story|stories|poem|song|lyrics|"
    r"novel|fan ?fic\w*|monologue|dialogue|limerick|haiku|screenplay|scene|sketch|diary|character|in the voice|as if|"
    r"testimonial|first person|reviews?)\b",
    re.IGNORECASE,
)
"""Requests for work on a text: sentences of the message may be that text."""
_ABOVE = re.compile(r"\b(?:this|that|it|these|those|above)\b", re.IGNORECASE)
_INSTRUCTING = re.compile(
    r"\b(?:ignore|disregard|override|bypass|forget)\s+(?:all|any|every|everything|the|your|my|previous|prior|above|"
    r"these)\b"
    r"|\b(?:system|developer|initial)\s+(?:prompt|message|mode)\b|\b(?:previous|prior|new|above)\s+instructions?\b"
    r"|\bjailbreak|\byou are now\b|\bfrom now on\b|\bact as\b|\bpretend\b|\brole-?play",
    re.IGNORECASE,
)


def own_sentences(text: str) -> Iterator[str]:
    """Yield the sentences that the author of a message states in their own words.

    None of a long message, and none of one with instructions to a model: what else it says may be a part of the attack.
    """
    if len(text) > READ_CHARACTERS_MAX or _INSTRUCTING.search(text):
        return
    sentences = list(_unquoted(text))
    asking = next((number for number, each in enumerate(sentences) if _REWORKED.search(each)), None)
    if asking is None:
        yield from sentences
    elif not (text.rstrip().endswith(sentences[asking]) and _ABOVE.search(sentences[asking])):
        # The text to work on follows; what is said before is the author's own.
        yield from sentences[: asking + 1]


def _unquoted(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are no quotation, code, list, transcript or rendered record."""
    own = _ENCLOSED.sub("\n", text)
    # One line may be "PS: ...".
    is_transcript = len(_SPOKEN.findall(own)) > 1
    is_introduced = has_begun = False
    for line in own.splitlines():
        if not line.strip():
            is_introduced = is_introduced and not has_begun
            continue
        has_begun = is_introduced
        if is_introduced or _LINE_OF_OTHERS.match(line) or (is_transcript and _SPOKEN.match(line)):
            continue
        if _TABULAR.search(line.rstrip()):
            continue
        # "This is what you know about me:" begins a text of somebody else, up to the next empty line.
        is_introduced = _INTRODUCTION.fullmatch(line) is not None
        if is_introduced:
            continue
        sentences = [each for sentence in divided(line.strip()) for each in _AFTER_NUMBER.split(sentence)]
        # A quotation of several sentences leaves one of them with a quotation mark too many.
        if all(map(_is_closed, sentences)):
            yield from (each for each in sentences if len(each) <= SENTENCE_CHARACTERS_MAX and not _QUOTED.search(each))


def _is_closed(sentence: str) -> bool:
    """Return True if each quotation that begins in a sentence ends there."""
    return (
        sentence.count('"') % 2 == 0
        and sentence.count("\u201c") == sentence.count("\u201d")
        and not _QUOTED_OTHERWISE.search(sentence)
    )
